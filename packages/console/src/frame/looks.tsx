/** The language and the colours of the pages. */
import { useLingui } from '@lingui/react';
import { useState } from 'react';
import { ChoiceInput } from '../components/choice-input.js';
import { chooseScheme, chosenScheme, SCHEMES } from '../scheme.js';
import { chooseLanguage, isLanguage, LANGUAGES } from '../texts/language.js';
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
  return (
    <div className="looks">
      <ChoiceInput
        label={t('language')}
        value={isLanguage(i18n.locale) ? i18n.locale : 'en'}
        choices={Object.entries(LANGUAGES).map(([id, label]) => ({ id: id as keyof typeof LANGUAGES, label }))}
        onChange={chooseLanguage}
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
    </div>
  );
}
