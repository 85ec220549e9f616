/**
 * The languages of the pages, and which one is shown. `index.html` loads the program in what was chosen, otherwise in that of the
 * browser; the texts of the other language are loaded when it is chosen.
 */
import { type I18n, setupI18n } from '@lingui/core';
import { later } from '../components/later.js';

export const LANGUAGES = { en: 'English', de: 'Deutsch' } as const;
export type Language = keyof typeof LANGUAGES;

/** The build says in which language the program is. */
declare const BUILT_LANGUAGE: Language;
export const OWN_LANGUAGE = BUILT_LANGUAGE;

const KEPT_AS = 'longshore.language';

/** The build has compiled the messages. */
export const i18n: I18n = setupI18n();

const otherTexts = later(() => import('./other-language.js'));

export function isLanguage(value: unknown): value is Language {
  return typeof value === 'string' && value in LANGUAGES;
}

/** Shows what was chosen, in this window or in another. */
export async function showKeptLanguage(): Promise<void> {
  const kept = localStorage.getItem(KEPT_AS);
  await show(isLanguage(kept) ? kept : OWN_LANGUAGE);
}

/** @throws when its texts cannot be loaded: then nothing is chosen */
export async function chooseLanguage(language: Language): Promise<void> {
  await show(language);
  localStorage.setItem(KEPT_AS, language);
}

let wanted: Language = OWN_LANGUAGE;

async function show(language: Language): Promise<void> {
  wanted = language;
  if (language !== OWN_LANGUAGE) i18n.load(language, (await otherTexts.load()).texts);
  // Another was chosen meanwhile.
  if (wanted !== language) return;
  document.documentElement.lang = language;
  i18n.activate(language);
}

/** With the region of the browser, if it is one of the language: it says how numbers and days are written. */
export function localeOf(language: string): string {
  return (
    navigator.languages.find((one) => one.startsWith(`${language}-`)) ??
    { en: 'en-GB', de: 'de-DE' }[language] ??
    language
  );
}
