/** The languages of the pages, and which one is shown: what was chosen, otherwise that of the browser. */
import { type I18n, setupI18n } from '@lingui/core';

export const LANGUAGES = { en: 'English', de: 'Deutsch' } as const;
export type Language = keyof typeof LANGUAGES;

const KEPT_AS = 'longshore.language';

/** The build has compiled the messages. */
export const i18n: I18n = setupI18n();

export function isLanguage(value: unknown): value is Language {
  return typeof value === 'string' && value in LANGUAGES;
}

export function showFirstLanguage(): void {
  const kept = localStorage.getItem(KEPT_AS);
  const preferred = navigator.languages.map((one) => one.slice(0, 2)).find(isLanguage);
  show(isLanguage(kept) ? kept : (preferred ?? 'en'));
}

export function chooseLanguage(language: Language): void {
  localStorage.setItem(KEPT_AS, language);
  show(language);
}

function show(language: Language): void {
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
