/** Keeps all different values of the columns that may be options or categories, within bounds. */

/** A column with more values is neither a list of options nor one of categories that a person would read. */
export const MAX_KEPT_VALUES = 5_000;
/** What the values of one column may hold together, in UTF-16 units. */
export const MAX_KEPT_CHARACTERS = 250_000;
/** What the values of all columns of a file may hold together. */
const MAX_IN_FILE = 2_000_000;
/** A longer text is prose. */
const MAX_VALUE_CHARACTERS = 500;
/** What a value costs beside its characters. */
const OVERHEAD = 16;
/** V8 copies a part of a text that is shorter; a longer one refers to all of the text, and keeps it in memory. */
const LEAST_REFERRING = 13;
/** From so many values on, those of a column have to repeat. */
const LEAST_JUDGED = 1_000;

/** What all columns of a file share. */
export class KeptRoom {
  left = MAX_IN_FILE;
}

export class KeptValues {
  #values: string[] | null = [];
  #known: Set<string> | null = null;
  #characters = 0;
  /** Whether no value was left out. */
  isComplete = true;

  constructor(readonly room: KeptRoom) {}

  /** In the order in which they occur first; null: the column is none of which they are kept. */
  get values(): readonly string[] | null {
    return this.#values;
  }

  /**
   * @param isNew whether the value did not occur before; if it is not known, it is found out here
   * @param repeats whether the column has more cells than twice its values, or texts that may be paths
   */
  add(text: string, isNew: boolean, repeats: () => boolean): void {
    const values = this.#values;
    if (values === null || !this.isComplete) return;
    if (!isNew) {
      this.#known ??= new Set(values);
      if (this.#known.has(text)) return;
    }
    if (text.length > MAX_VALUE_CHARACTERS || (values.length >= LEAST_JUDGED && !repeats())) {
      this.#drop();
      return;
    }
    const cost = text.length + OVERHEAD;
    if (
      values.length === MAX_KEPT_VALUES ||
      this.#characters + text.length > MAX_KEPT_CHARACTERS ||
      cost > this.room.left
    ) {
      this.isComplete = false;
      this.#known = null;
      return;
    }
    const copy = text.length < LEAST_REFERRING ? text : Buffer.from(text).toString();
    values.push(copy);
    this.#known?.add(copy);
    this.#characters += text.length;
    this.room.left -= cost;
  }

  #drop(): void {
    this.room.left += this.#characters + OVERHEAD * (this.#values?.length ?? 0);
    this.#values = null;
    this.#known = null;
  }
}
