//! Writes archives: tar with long names of both kinds, gzip, and zip with stored and deflated members.

use std::io::Write as _;

/// A tar archive; names beyond 100 bytes get a GNU header, or a pax one.
pub fn tar(members: &[(&str, &[u8])], is_pax: bool) -> Vec<u8> {
    let mut archive = Vec::new();
    let mut member = |name: &[u8], kind: u8, data: &[u8]| {
        let mut header = [0_u8; 512];
        let short = &name[..name.len().min(100)];
        header[..short.len()].copy_from_slice(short);
        header[124..135].copy_from_slice(format!("{:011o}", data.len()).as_bytes());
        header[156] = kind;
        header[257..265].copy_from_slice(b"ustar\x0000");
        header[148..156].copy_from_slice(b"        ");
        let sum: u32 = header.iter().map(|byte| u32::from(*byte)).sum();
        header[148..155].copy_from_slice(format!("{sum:06o}\0").as_bytes());
        archive.extend_from_slice(&header);
        archive.extend_from_slice(data);
        archive.resize(archive.len().div_ceil(512) * 512, 0);
    };
    member(b"top/", b'5', b"");
    for (name, data) in members {
        if name.len() > 100 && is_pax {
            let body = format!(" path={name}\n");
            let length = body.len() + 3;
            member(b"pax", b'x', format!("{length}{body}").as_bytes());
        } else if name.len() > 100 {
            member(b"././@LongLink", b'L', format!("{name}\0").as_bytes());
        }
        member(name.as_bytes(), b'0', data);
    }
    archive.resize(archive.len() + 1024, 0);
    archive
}

/// Compressed as one gzip member.
pub fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(bytes).expect("memory takes every byte");
    encoder.finish().expect("memory takes every byte")
}

/// A zip archive; every second member is stored, the others are deflated.
pub fn zip(members: &[(&str, &[u8])]) -> Vec<u8> {
    let mut archive = Vec::new();
    let mut directory = Vec::new();
    for (index, (name, data)) in members.iter().enumerate() {
        let is_stored = index % 2 == 0;
        let body = if is_stored { data.to_vec() } else { deflate(data) };
        let mut fields = Vec::new();
        // Version, flags (UTF-8 name), method, time and date.
        for field in [20_u16, 1 << 11, if is_stored { 0 } else { 8 }, 0, 0x21] {
            fields.extend_from_slice(&field.to_le_bytes());
        }
        for field in [crc32fast::hash(data), body.len() as u32, data.len() as u32] {
            fields.extend_from_slice(&field.to_le_bytes());
        }
        fields.extend_from_slice(&(name.len() as u16).to_le_bytes());
        fields.extend_from_slice(&[0; 2]);
        let offset = archive.len() as u32;
        archive.extend_from_slice(b"PK\x03\x04");
        archive.extend_from_slice(&fields);
        archive.extend_from_slice(name.as_bytes());
        archive.extend_from_slice(&body);
        directory.extend_from_slice(b"PK\x01\x02\x14\x00");
        directory.extend_from_slice(&fields);
        // Comment, disk, attributes.
        directory.extend_from_slice(&[0; 10]);
        directory.extend_from_slice(&offset.to_le_bytes());
        directory.extend_from_slice(name.as_bytes());
    }
    let (at, length, count) = (archive.len() as u32, directory.len() as u32, members.len() as u16);
    archive.extend(directory);
    archive.extend_from_slice(b"PK\x05\x06\0\0\0\0");
    archive.extend_from_slice(&count.to_le_bytes());
    archive.extend_from_slice(&count.to_le_bytes());
    archive.extend_from_slice(&length.to_le_bytes());
    archive.extend_from_slice(&at.to_le_bytes());
    archive.extend_from_slice(&[0; 2]);
    archive
}

fn deflate(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).expect("memory takes every byte");
    encoder.finish().expect("memory takes every byte")
}
