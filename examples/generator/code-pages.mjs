/** Writes texts in encodings that Node only reads: each is the reverse of the decoder of the platform. */

const ENCODERS = new Map();
const SIGNS = [
  ['€', 0x80],
  ['’', 0x92],
  ['–', 0x96],
];

/** @returns a function from a text to its bytes, which throws at a character that the encoding does not have */
export function encoderOf(encoding) {
  if (encoding === 'utf-8') return (text) => Buffer.from(text);
  const table = ENCODERS.get(encoding) ?? reversed(encoding);
  ENCODERS.set(encoding, table);
  return (text) =>
    Buffer.concat(
      [...text].map((character) => {
        const bytes = table.get(character);
        if (bytes === undefined) throw new Error(`${encoding} has no ${character}`);
        return bytes;
      }),
    );
}

function reversed(encoding) {
  const decoder = new TextDecoder(encoding, { fatal: true });
  const table = new Map();
  const add = (bytes) => {
    try {
      const character = decoder.decode(bytes);
      if ([...character].length === 1 && !table.has(character)) table.set(character, bytes);
    } catch {
      // No character.
    }
  };
  // Node 20 reads these bytes of windows-1252 as control characters.
  if (encoding === 'windows-1252') for (const [sign, byte] of SIGNS) table.set(sign, Buffer.from([byte]));
  for (let byte = 0; byte < 256; byte++) add(Buffer.from([byte]));
  if (encoding === 'shift_jis') {
    for (let lead = 0x81; lead <= 0xfc; lead++)
      for (let trail = 0x40; trail <= 0xfc; trail++) add(Buffer.from([lead, trail]));
  }
  return table;
}
