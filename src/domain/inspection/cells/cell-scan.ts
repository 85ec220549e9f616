/** Reads a cell once: which kinds of characters it has, and a hash of it. */
import { randomBytes } from 'node:crypto';

/** Bits of `CellScan.seen`, one for each kind of character that some judge asks for. */
export const SEEN = {
  digit: 1,
  letter: 2,
  point: 4,
  comma: 8,
  blank: 16,
  /** `-`, `+` and the minus sign. */
  sign: 32,
  slash: 64,
  colon: 128,
  apostrophe: 256,
  other: 512,
  lessThan: 1 << 10,
  greaterThan: 1 << 11,
  pipe: 1 << 12,
  semicolon: 1 << 13,
  lineEnd: 1 << 14,
  backslash: 1 << 15,
  bullet: 1 << 16,
  caret: 1 << 17,
  tilde: 1 << 18,
  guillemet: 1 << 19,
  ampersand: 1 << 20,
} as const;

const ASCII = new Int32Array(128).fill(SEEN.other);
for (let code = 48; code < 58; code += 1) ASCII[code] = SEEN.digit;
for (let code = 65; code < 91; code += 1) {
  ASCII[code] = SEEN.letter;
  ASCII[code + 32] = SEEN.letter;
}
const SIGNS: Readonly<Record<string, number>> = {
  '.': SEEN.point,
  ',': SEEN.comma,
  ' ': SEEN.blank,
  '\t': SEEN.blank,
  '-': SEEN.sign,
  '+': SEEN.sign,
  '/': SEEN.slash,
  ':': SEEN.colon,
  "'": SEEN.apostrophe,
  '<': SEEN.lessThan,
  '>': SEEN.greaterThan,
  '|': SEEN.pipe,
  ';': SEEN.semicolon,
  '\n': SEEN.lineEnd,
  '\r': SEEN.lineEnd,
  '\\': SEEN.backslash,
  '^': SEEN.caret,
  '~': SEEN.tilde,
  '&': SEEN.ampersand,
};
for (const [sign, bit] of Object.entries(SIGNS)) ASCII[sign.charCodeAt(0)] = bit;

/** No file can be made to collide on purpose. */
const SEED = randomBytes(8);

export class CellScan {
  /** Bits of SEEN. */
  seen = 0;
  high = 0;
  low = 0;
  readonly #highSeed = SEED.readInt32LE(0);
  readonly #lowSeed = SEED.readInt32LE(4);

  /** The mixing of cyrb53 over UTF-16 units, with both lanes kept in full. */
  read(text: string): void {
    let high = this.#highSeed;
    let low = this.#lowSeed;
    let seen = 0;
    for (let at = 0; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      seen |= code < 128 ? (ASCII[code] as number) : bitBeyondAscii(code);
      high = Math.imul(high ^ code, 2654435761);
      low = Math.imul(low ^ code, 1597334677);
    }
    high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909);
    low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909);
    this.seen = seen;
    this.high = high | 0;
    this.low = low | 0;
  }
}

function bitBeyondAscii(code: number): number {
  switch (code) {
    // Blanks that do not break, wide or narrow.
    case 0xa0:
    case 0x2007:
    case 0x2009:
    case 0x202f:
    case 0x3000:
      return SEEN.blank;
    case 0x2212:
    case 0x2013:
      return SEEN.sign;
    case 0x2019:
      return SEEN.apostrophe;
    case 0xb7:
    case 0x2022:
      return SEEN.bullet;
    case 0xbb:
    case 0x203a:
    case 0x2192:
      return SEEN.guillemet;
    default:
      return SEEN.letter;
  }
}
