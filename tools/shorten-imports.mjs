// Gives the functions that a WebAssembly module imports from its JavaScript short names, in both files.
//
// wasm-bindgen names each by a hash of sixteen digits, so that programs can be linked together. A finished program
// links with nothing more, and hashes do not compress: on the page they were 4 kB of the download.

// The module and its script with short names; throws where they are not as wasm-bindgen writes them.
export function shortenImports(module, script) {
  const reader = new Reader(module);
  reader.expect([0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00]);
  const pieces = [module.subarray(0, 8)];
  let names = new Map();
  while (reader.at < module.length) {
    const start = reader.at;
    const id = module[reader.at++];
    const size = reader.number();
    const content = module.subarray(reader.at, reader.at + size);
    reader.at += size;
    if (id !== 2) {
      pieces.push(module.subarray(start, reader.at));
      continue;
    }
    const section = renamed(content, names);
    pieces.push(Uint8Array.of(id), number(section.length), section);
  }
  let text = script;
  for (const [long, short] of names) {
    const parts = text.split(`${long}:`);
    if (parts.length !== 2) throw new Error(`the script has ${parts.length - 1} times ${long}, expected once`);
    text = parts.join(`${short}:`);
  }
  return { module: Buffer.concat(pieces), script: text };
}

// The import section with short names, which it notes.
function renamed(content, names) {
  const reader = new Reader(content);
  const count = reader.number();
  const pieces = [number(count)];
  for (let index = 0; index < count; index += 1) {
    const from = reader.name();
    const name = reader.name();
    const start = reader.at;
    const kind = content[reader.at++];
    if (kind === 0) reader.number();
    else throw new Error(`import ${name} is no function`);
    const long = name.toString();
    const short = `i${index}`;
    names.set(long, short);
    pieces.push(number(from.length), from, number(short.length), Buffer.from(short), content.subarray(start, reader.at));
  }
  return Buffer.concat(pieces);
}

// An unsigned number: seven bits a byte, the lowest first.
function number(value) {
  const bytes = [];
  do {
    bytes.push((value % 128) | (value >= 128 ? 0x80 : 0));
    value = Math.floor(value / 128);
  } while (value > 0);
  return Uint8Array.from(bytes);
}

class Reader {
  constructor(bytes) {
    this.bytes = bytes;
    this.at = 0;
  }

  expect(bytes) {
    for (const byte of bytes) if (this.bytes[this.at++] !== byte) throw new Error("no WebAssembly module");
  }

  number() {
    for (let value = 0, scale = 1; ; scale *= 128) {
      const byte = this.bytes[this.at++];
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
    }
  }

  name() {
    const length = this.number();
    this.at += length;
    return Buffer.from(this.bytes.subarray(this.at - length, this.at));
  }
}
