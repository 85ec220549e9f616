/** Decodes percent-encoding. @returns null when the text is malformed */
export function decodePercent(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
