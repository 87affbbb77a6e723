//! Enums whose variants have stable names: one line a variant gives the variant and its name.

/// An enum with `ALL`, `from_name`, and a method of the given name that tells a variant's name. After the word `serde`
/// the names are those of its JSON, too.
#[macro_export]
macro_rules! named_enum {
    (serde $method:ident $(#[$meta:meta])* pub enum $Enum:ident { $($(#[$attribute:meta])* $Variant:ident = $name:literal,)+ }) => {
        $crate::named_enum! {
            $method
            $(#[$meta])*
            #[derive(serde::Serialize, serde::Deserialize)]
            pub enum $Enum { $($(#[$attribute])* #[serde(rename = $name)] $Variant = $name,)+ }
        }
    };
    ($method:ident $(#[$meta:meta])* pub enum $Enum:ident { $($(#[$attribute:meta])* $Variant:ident = $name:literal,)+ }) => {
        $(#[$meta])*
        pub enum $Enum { $($(#[$attribute])* $Variant,)+ }

        impl $Enum {
            /// Every variant, in the order of their definition.
            pub const ALL: &'static [$Enum] = &[$($Enum::$Variant,)+];

            /// Its stable name, for people and in reports.
            pub fn $method(self) -> &'static str {
                match self { $($Enum::$Variant => $name,)+ }
            }

            /// The variant of this name.
            pub fn from_name(name: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|variant| variant.$method() == name)
            }
        }
    };
}

#[cfg(test)]
mod tests {
    named_enum! {
        serde word
        #[derive(Debug, Clone, Copy, PartialEq, Default)]
        pub enum Colour {
            /// Red.
            Red = "red",
            /// Any other.
            #[default]
            #[serde(alias = "dark blue")]
            Blue = "light blue",
        }
    }

    #[test]
    fn a_name_leads_back_to_its_variant() {
        for colour in Colour::ALL {
            assert_eq!(Colour::from_name(colour.word()), Some(*colour));
            assert_eq!(serde_json::to_string(colour).unwrap(), format!("\"{}\"", colour.word()));
        }
        assert_eq!(serde_json::from_str::<Colour>("\"dark blue\"").unwrap(), Colour::default());
        assert_eq!(Colour::from_name("dark blue"), None);
    }
}
