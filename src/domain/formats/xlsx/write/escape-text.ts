/** Escapes any text for XML as spreadsheet programs do. */

/**
 * What must be escaped in a cell: markup; characters that XML does not allow or changes on reading; and text that looks
 * like the escape for those.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern looks for them
const SPECIAL = /[&<>\x00-\x08\x0b-\x1f\ud800-\udfff\ufffe\uffff]|_x[0-9a-fA-F]{4}_/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern looks for them
const UNWRITABLE = /[\x00-\x08\x0b-\x1f\ufffe\uffff]|\p{Surrogate}/gu;
const LOOKS_ESCAPED = /_(?=x[0-9a-fA-F]{4}_)/g;
const OUTER_SPACE = /^\s|\s$|[\t\n]/;

/**
 * The text of a cell: `_xHHHH_` stands for a character that XML does not allow, and `_x005F_` for the `_` of a literal
 * one.
 */
export function escapeCellText(text: string): string {
  if (!SPECIAL.test(text)) return text;
  return escapeMarkup(text.replace(LOOKS_ESCAPED, '_x005F_').replace(UNWRITABLE, codeUnitEscape));
}

/** Whether readers would drop or change white space without `xml:space`. */
export function needsSpaceKept(text: string): boolean {
  return OUTER_SPACE.test(text);
}

/** Text between tags, or within a double-quoted attribute, whose characters XML allows. */
export function escapeMarkup(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
}

/** The value of a double-quoted attribute. */
export function escapeXmlAttribute(text: string): string {
  return escapeMarkup(text.replace(UNWRITABLE, ''))
    .replace(/"/g, '&quot;')
    .replace(/[\t\n]/g, (space) => `&#${space.charCodeAt(0)};`);
}

function codeUnitEscape(character: string): string {
  return `_x${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`;
}
