/** The language and the colours of the pages. */
import { useLingui } from '@lingui/react';
import { useState } from 'react';
import { ChoiceInput } from '../components/choice-input.js';
import { ErrorPanel } from '../components/error-panel.js';
import { chooseScheme, chosenScheme, SCHEMES } from '../scheme.js';
import { chooseLanguage, isLanguage, LANGUAGES, type Language } from '../texts/language.js';
import { textsOf } from '../texts/texts.js';

const useText = textsOf('looks', {
  language: { en: 'Language', de: 'Sprache' },
  scheme: { en: 'Colours', de: 'Farben' },
  system: { en: 'as the system', de: 'wie das System' },
  light: { en: 'light', de: 'hell' },
  dark: { en: 'dark', de: 'dunkel' },
});

export function Looks() {
  const t = useText();
  const { i18n } = useLingui();
  const [scheme, setScheme] = useState(chosenScheme);
  const [error, setError] = useState<unknown>();
  const choose = (language: Language) => chooseLanguage(language).then(() => setError(undefined), setError);
  return (
    <div className="looks">
      <ChoiceInput
        label={t('language')}
        value={isLanguage(i18n.locale) ? i18n.locale : 'en'}
        choices={Object.entries(LANGUAGES).map(([id, label]) => ({ id: id as keyof typeof LANGUAGES, label }))}
        onChange={(language) => void choose(language)}
      />
      <ChoiceInput
        label={t('scheme')}
        value={scheme}
        choices={SCHEMES.map((id) => ({ id, label: t(id) }))}
        onChange={(chosen) => {
          chooseScheme(chosen);
          setScheme(chosen);
        }}
      />
      {error === undefined ? null : <ErrorPanel error={error} />}
    </div>
  );
}
