/** Resolves `_xHHHH_`, by which cells hold the characters that XML has none for. */

const ESCAPE = /_x([0-9a-fA-F]{4})_/g;

export function unescapeCellText(text: string): string {
  if (!text.includes('_x')) return text;
  return text.replace(ESCAPE, (_all, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}
