/** What can be typed into a field, of very many: the first that contain what was typed, as the browser shows them. */

/** More of them help nobody who chooses, and make the page slow. */
const MOST_LISTED = 1_000;

interface SuggestionsProps {
  /** Of the list: the field names it as its `list`. */
  readonly id: string;
  readonly values: readonly string[];
  readonly text: string;
}

export function Suggestions({ id, values, text }: SuggestionsProps) {
  return (
    <datalist id={id}>
      {firstOf(values, text).map((value) => (
        <option key={value} value={value} />
      ))}
    </datalist>
  );
}

/** Those that begin with it stand before those that contain it. */
function firstOf(values: readonly string[], text: string): readonly string[] {
  const wanted = text.toLocaleLowerCase();
  const found: string[] = [];
  const later: string[] = [];
  for (const value of values) {
    const at = value.toLocaleLowerCase().indexOf(wanted);
    if (at === 0) found.push(value);
    else if (at > 0 && later.length < MOST_LISTED) later.push(value);
    if (found.length === MOST_LISTED) break;
  }
  return [...new Set([...found, ...later])].slice(0, MOST_LISTED);
}
