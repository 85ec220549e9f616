/**
 * The `Item Attributes` cell: `Title!;Colour`. `!` marks a mandatory attribute; `\` makes a `;`, `!` or `\` part of a
 * name.
 */

export interface CellAssignment {
  readonly name: string;
  readonly mandatory: boolean;
}

const SPECIAL = new Set([';', '!', '\\']);

/** The attributes in order; names are trimmed, empty parts are ignored. */
export function itemAttributesFromText(text: string): CellAssignment[] {
  const assignments: CellAssignment[] = [];
  let name = '';
  let mandatory = false;
  const end = (): void => {
    if (name.trim() !== '') assignments.push({ name: name.trim(), mandatory });
    name = '';
    mandatory = false;
  };
  for (let at = 0; at < text.length; at++) {
    const character = text[at] as string;
    if (character === ';') {
      end();
    } else if (character === '!' && isLastOfPart(text, at)) {
      mandatory = true;
    } else if (character === '\\' && SPECIAL.has(text[at + 1] ?? '')) {
      name += text[++at];
    } else {
      name += character;
    }
  }
  end();
  return assignments;
}

/** The cell that itemAttributesFromText reads back as the same assignments. */
export function itemAttributesToText(assignments: readonly CellAssignment[]): string {
  return assignments
    .map(({ name, mandatory }) => {
      const escaped = name.replace(/[;\\]|!$/g, '\\$&');
      return mandatory ? `${escaped}!` : escaped;
    })
    .join(';');
}

function isLastOfPart(text: string, at: number): boolean {
  const rest = text.slice(at + 1, at + 1 + MAX_BLANKS);
  return /^\s*(;|$)/.test(rest);
}

/** How many blanks may follow a `!`: enough for aligned columns. */
const MAX_BLANKS = 64;
