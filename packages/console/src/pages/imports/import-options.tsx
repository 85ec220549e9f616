/** What one seldom changes: which rows are written, all or none, an approval, and the profile that keeps the answers. */

import { ChoiceInput } from '../../components/choice-input.js';
import { Section } from '../../components/content.js';
import { SwitchInput } from '../../components/switch-input.js';
import { TextInput } from '../../components/text-input.js';
import { textsOf } from '../../texts/texts.js';

export interface ImportChoices {
  readonly mode: 'insert' | 'upsert' | 'update';
  /** All rows or none. */
  readonly isAtomic: boolean;
  readonly asksApproval: boolean;
  /** Under which the answers are kept; empty: they are not. */
  readonly profileName: string;
}

export const FIRST_OPTIONS: ImportChoices = { mode: 'upsert', isAtomic: false, asksApproval: false, profileName: '' };

const useText = textsOf('import-options', {
  title: { en: 'How it is imported', de: 'Wie importiert wird' },
  mode: { en: 'Which items are written', de: 'Welche Artikel geschrieben werden' },
  upsert: { en: 'new ones and those that are there', de: 'neue und vorhandene' },
  insert: { en: 'new ones only', de: 'nur neue' },
  update: { en: 'only those that are there', de: 'nur vorhandene' },
  atomic: { en: 'All rows or none', de: 'Alle Zeilen oder keine' },
  atomicHelp: { en: 'If one row fails, nothing is written.', de: 'Schlägt eine Zeile fehl, wird nichts geschrieben.' },
  approval: { en: 'Somebody else approves it first', de: 'Jemand anderes gibt es vorher frei' },
  approvalHelp: { en: 'It shows what it would change, and waits.', de: 'Es zeigt, was sich ändern würde, und wartet.' },
  profile: { en: 'Keep the answers as a profile', de: 'Die Antworten als Profil behalten' },
  profileHelp: {
    en: 'A name, such as “ERP”. The next file of this form needs no questions then.',
    de: 'Ein Name, etwa „ERP“. Die nächste Datei dieser Form braucht dann keine Fragen.',
  },
});

interface ImportOptionsProps {
  readonly choices: ImportChoices;
  readonly onChange: (choices: ImportChoices) => void;
}

export function ImportOptions({ choices, onChange }: ImportOptionsProps) {
  const t = useText();
  return (
    <Section title={t('title')}>
      <div className="option-grid">
        <TextInput
          label={t('profile')}
          help={t('profileHelp')}
          value={choices.profileName}
          onChange={(profileName) => onChange({ ...choices, profileName })}
          maxLength={100}
        />
        <ChoiceInput
          label={t('mode')}
          value={choices.mode}
          choices={(['upsert', 'insert', 'update'] as const).map((id) => ({ id, label: t(id) }))}
          onChange={(mode) => onChange({ ...choices, mode })}
        />
        <SwitchInput
          label={t('atomic')}
          help={t('atomicHelp')}
          isOn={choices.isAtomic}
          onChange={(isAtomic) => onChange({ ...choices, isAtomic })}
        />
        <SwitchInput
          label={t('approval')}
          help={t('approvalHelp')}
          isOn={choices.asksApproval}
          onChange={(asksApproval) => onChange({ ...choices, asksApproval })}
        />
      </div>
    </Section>
  );
}
