/** Texts of a part of the pages, in every language: a text that is missing in one does not compile. */
import { useLingui } from '@lingui/react';
import { i18n, type Language } from './language.js';

type Texts<K extends string> = Readonly<Record<K, Readonly<Record<Language, string>>>>;
type Values = Readonly<Record<string, string | number>>;
/** The text of a key in the language that is shown, with its values. */
export type Translate<K extends string> = (key: K, values?: Values) => string;

/**
 * @param part begins the ids of the texts, so that two parts may have the same keys
 * @param texts in the form of ICU: `{count, plural, one {# row} other {# rows}}`
 * @returns a hook, which answers the function that translates
 */
export function textsOf<const K extends string>(part: string, texts: Texts<K>): () => Translate<K> {
  const entries = Object.entries<Readonly<Record<Language, string>>>(texts);
  for (const language of ['en', 'de'] as const) {
    i18n.load(language, Object.fromEntries(entries.map(([key, text]) => [`${part}.${key}`, text[language]])));
  }
  return () => {
    // Read here, so that a component is rendered again when another language is chosen.
    const { i18n: shown } = useLingui();
    return (key, values) => shown._(`${part}.${key}`, values && keptApart(values));
  };
}

/** Letters from right to left, and signs that turn around what follows them. */
const TURNS = /[\u0590-\u08FF\u200E\u200F\u202A-\u202E\u2066-\u2069\uFB1D-\uFDFF\uFE70-\uFEFF]/;

/** Names of tenants inside a sentence do not turn the sentence around. */
function keptApart(values: Values): Values {
  if (!Object.values(values).some((value) => typeof value === 'string' && TURNS.test(value))) return values;
  const apart = ([name, value]: [string, string | number]) => [
    name,
    typeof value === 'string' ? setApart(value) : value,
  ];
  return Object.fromEntries(Object.entries(values).map(apart));
}

/** A name beside others in one text, which it does not turn around. Where it has an element of its own, that is a `<bdi>`. */
export function setApart(name: string): string {
  if (!TURNS.test(name)) return name;
  let open = 0;
  // A sign that ends what the name has not begun would end the place that is set apart for it.
  const balanced = name.replace(/[\u2066-\u2069]/g, (sign) => {
    if (sign === '\u2069' && open === 0) return '';
    open += sign === '\u2069' ? -1 : 1;
    return sign;
  });
  return `\u2068${balanced}${'\u2069'.repeat(open + 1)}`;
}
