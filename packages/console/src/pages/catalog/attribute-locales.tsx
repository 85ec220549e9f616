/** The names of an attribute in other languages: files that are written in them are recognised by these. */
import { useLingui } from '@lingui/react';
import { useRef } from 'react';
import { Button } from '../../components/button.js';
import { TextInput } from '../../components/text-input.js';
import { localeOf } from '../../texts/language.js';
import { textsOf } from '../../texts/texts.js';

const useText = textsOf('attribute-locales', {
  title: { en: 'Names in other languages', de: 'Namen in anderen Sprachen' },
  note: {
    en: 'A column of a file with such a name is read as this attribute.',
    de: 'Eine Spalte mit so einem Namen wird als dieses Attribut gelesen.',
  },
  locale: { en: 'Language', de: 'Sprache' },
  localeOf: { en: 'Language, {nth}', de: 'Sprache, {nth}' },
  localeHelp: { en: 'Such as de or fr-FR', de: 'Etwa de oder fr-FR' },
  nameOf: { en: 'Name in it, {nth}', de: 'Name darin, {nth}' },
  remove: { en: 'Remove', de: 'Entfernen' },
  removeOf: { en: 'Remove: {what}', de: 'Entfernen: {what}' },
  add: { en: 'Add a name in another language', de: 'Namen in einer anderen Sprache hinzufügen' },
  unknown: {
    en: 'This is no language. Write one such as de or fr-FR.',
    de: 'Das ist keine Sprache. Schreiben Sie zum Beispiel de oder fr-FR.',
  },
  twice: { en: 'This language is there already.', de: 'Diese Sprache gibt es schon.' },
  noName: {
    en: 'Write the name, or remove the language.',
    de: 'Schreiben Sie den Namen, oder entfernen Sie die Sprache.',
  },
});

export interface LocaleName {
  readonly locale: string;
  readonly name: string;
}

/** The API accepts no more. */
const MOST = 200;
const CODE = /^[A-Za-z]{2,3}(?:[-_][A-Za-z0-9]{2,8}){0,3}$/;

/** Those that somebody has filled in. */
export function filledLocales(locales: readonly LocaleName[]): readonly LocaleName[] {
  return locales
    .map(({ locale, name }) => ({ locale: locale.trim(), name: name.trim() }))
    .filter(({ locale, name }) => locale !== '' || name !== '');
}

/** Whether one of them cannot be sent. */
export function areWrong(locales: readonly LocaleName[]): boolean {
  const filled = filledLocales(locales);
  return filled.some((one, index) => problemOf(one, filled.slice(0, index)) !== undefined);
}

function problemOf(
  { locale, name }: LocaleName,
  before: readonly LocaleName[],
): 'unknown' | 'twice' | 'noName' | undefined {
  if (locale.trim() === '' && name.trim() === '') return undefined;
  if (!CODE.test(locale.trim())) return 'unknown';
  if (before.some((other) => other.locale.trim().toLowerCase() === locale.trim().toLowerCase())) return 'twice';
  return name.trim() === '' ? 'noName' : undefined;
}

interface AttributeLocalesProps {
  readonly locales: readonly LocaleName[];
  readonly isReadOnly: boolean;
  readonly onChange: (locales: readonly LocaleName[]) => void;
}

export function AttributeLocales({ locales, isReadOnly, onChange }: AttributeLocalesProps) {
  const t = useText();
  const { i18n } = useLingui();
  const languages = new Intl.DisplayNames(localeOf(i18n.locale), { type: 'language' });
  const list = useRef<HTMLFieldSetElement>(null);
  if (isReadOnly && locales.length === 0) return null;
  const set = (index: number, change: Partial<LocaleName>) =>
    onChange(locales.map((one, nth) => (nth === index ? { ...one, ...change } : one)));
  const said = (locale: string) => (CODE.test(locale.trim()) ? inWords(languages, locale.trim()) : t('localeHelp'));
  return (
    <fieldset className="locale-names" ref={list}>
      <legend className="react-aria-Label">{t('title')}</legend>
      <p className="help">{t('note')}</p>
      {locales.map((one, index) => {
        const problem = problemOf(one, locales.slice(0, index));
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: a row is what stands at its place
          <div key={index} className="locale-name">
            <TextInput
              label={t('localeOf', { nth: index + 1 })}
              help={said(one.locale)}
              error={problem === 'unknown' || problem === 'twice' ? t(problem) : undefined}
              value={one.locale}
              isReadOnly={isReadOnly}
              onChange={(locale) => set(index, { locale })}
            />
            <TextInput
              label={t('nameOf', { nth: index + 1 })}
              error={problem === 'noName' ? t(problem) : undefined}
              value={one.name}
              isReadOnly={isReadOnly}
              onChange={(name) => set(index, { name })}
            />
            {isReadOnly ? null : (
              <Button
                kind="quiet"
                aria-label={t('removeOf', { what: one.locale === '' ? String(index + 1) : one.locale })}
                onPress={() => {
                  onChange(locales.filter((_, nth) => nth !== index));
                  // The button is gone: who uses the keyboard stays here.
                  list.current?.querySelector<HTMLButtonElement>(':scope > .actions button')?.focus();
                }}
              >
                {t('remove')}
              </Button>
            )}
          </div>
        );
      })}
      {isReadOnly || locales.length >= MOST ? null : (
        <div className="actions">
          <Button onPress={() => onChange([...locales, { locale: '', name: '' }])}>{t('add')}</Button>
        </div>
      )}
    </fieldset>
  );
}

/** `German (Germany)`; a language that the browser does not know stands for itself. */
function inWords(languages: Intl.DisplayNames, locale: string): string {
  try {
    return languages.of(locale.replaceAll('_', '-')) ?? locale;
  } catch {
    return locale;
  }
}
