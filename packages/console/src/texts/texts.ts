/** Texts of a part of the pages, in every language: a text that is missing in one does not compile. */
import { useLingui } from '@lingui/react';
import { i18n, type Language } from './language.js';
import { setApart } from './set-apart.js';

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

/** Names of tenants inside a sentence do not turn the sentence around. */
function keptApart(values: Values): Values {
  const apart = ([name, value]: [string, string | number]) => [
    name,
    typeof value === 'string' ? setApart(value) : value,
  ];
  return Object.fromEntries(Object.entries(values).map(apart));
}
