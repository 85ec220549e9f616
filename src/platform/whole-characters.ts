/** Finds where a piece of UTF-8 may be split. */

/** Returns the length of the bytes without an incomplete UTF-8 character at their end. */
export function wholeCharacters(bytes: Buffer): number {
  const end = bytes.length;
  for (let back = 1; back <= 3 && back <= end; back += 1) {
    const byte = bytes[end - back] as number;
    if (byte < 0x80) return end;
    if (byte >= 0xc0) return bytesOfCharacter(byte) > back ? end - back : end;
  }
  return end;
}

function bytesOfCharacter(lead: number): number {
  if (lead >= 0xf0) return 4;
  return lead >= 0xe0 ? 3 : 2;
}
