//! The reverse KL that an on-policy distillation minimises, where its name does not say to whom: other names of the run tell of a
//! teacher.

use super::{Binder, Meaning};
use crate::Concept;
use crate::generic::is_reverse_kl;
use crate::table::{Keys, has_any, words};
use rundown_run::ConfigValue;

/// Words in the names of metrics and settings of a distillation.
const TEACHER: [&str; 5] = ["teacher", "distill", "distillation", "opd", "gkd"];

impl Binder<'_> {
    /// Binds `reverse_kl` beside names of a teacher, where no KL to it has a name of its own.
    #[inline(never)]
    pub(super) fn teacher_kl(&mut self, keys: &Keys<'_>) {
        let mut found = keys.iter().filter(|(normal, key)| !self.keys.contains(**key) && is_reverse_kl(normal));
        let Some((_, key)) = found.next().filter(|_| self.bindings.first(Concept::TeacherKl).is_none()) else { return };
        let tells = |name: &str| has_any(&words(name), &TEACHER);
        // Scripts that can distil have settings of a teacher in runs without one.
        let is_set = |(name, value): (&str, &ConfigValue)| value.is_set() && tells(name);
        if keys.keys().any(|normal| tells(normal)) || self.run.config.iter().any(is_set) {
            let why = "A reverse KL beside other names of a teacher: what a distillation minimises.";
            let unit = Concept::TeacherKl.unit();
            self.push(key, Meaning::plain(Concept::TeacherKl, unit, None), why.to_owned());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::bind;
    use super::super::tests::{first, run};
    use crate::Concept;
    use rundown_run::ConfigValue;

    #[test]
    fn a_reverse_kl_is_that_to_the_teacher_where_there_is_one() {
        let bound = |keys: &[&str]| first(&bind(&run(keys)), Concept::TeacherKl).map(str::to_owned);
        let key = "train/reverse_kl";
        assert_eq!(bound(&[key, "train/mean_teacher_logprob"]).as_deref(), Some(key));
        assert_eq!(bound(&[key, "train/loss"]), None, "it may be that to the reference");
        assert_eq!(bound(&[key, "teacher_kl"]).as_deref(), Some("teacher_kl"));
        let mut set = run(&[key]);
        set.config.insert("teacher_batch_size", ConfigValue::Number(16.0));
        assert_eq!(first(&bind(&set), Concept::TeacherKl), Some(key));
        for off in [ConfigValue::Null, ConfigValue::Bool(false), ConfigValue::Number(0.0)] {
            set.config.insert("teacher_batch_size", off);
            assert_eq!(first(&bind(&set), Concept::TeacherKl), None, "a script that could distil");
        }
    }
}
