/** How the files of a feed are imported: as what, by which profile, and what is written of them. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ChoiceInput } from '../../components/choice-input.js';
import { Section } from '../../components/content.js';
import { SwitchInput } from '../../components/switch-input.js';
import { useApi, usePresent } from '../../session/session-context.js';
import { textsOf } from '../../texts/texts.js';
import { type FeedValues, FILE_TYPES } from './feed-values.js';
import type { FormFieldsProps } from './form-kind.js';
import { SnapshotFields } from './snapshot-fields.js';
import { useFeedText } from './texts.js';

const useText = textsOf('feed-import', {
  title: { en: 'How they are imported', de: 'Wie importiert wird' },
  fileType: { en: 'What is in them', de: 'Was darin ist' },
  profile: { en: 'Import profile', de: 'Importprofil' },
  DEFAULT: { en: 'The default of this stage', de: 'Das voreingestellte dieser Stage' },
  NONE: { en: 'None: the columns are those of Longshore', de: 'Keines: Die Spalten sind die von Longshore' },
  profiles: {
    en: 'A profile says what the columns of your files become. To make one, import such a file once.',
    de: 'Ein Profil sagt, was aus den Spalten Ihrer Dateien wird. Importieren Sie eine solche Datei einmal, um eines anzulegen.',
  },
  show: { en: 'Profiles', de: 'Profile' },
  mode: { en: 'Which rows are written', de: 'Welche Zeilen geschrieben werden' },
  upsert: { en: 'new ones and those that are there', de: 'neue und vorhandene' },
  insert: { en: 'new ones only', de: 'nur neue' },
  update: { en: 'only those that are there', de: 'nur vorhandene' },
  atomic: { en: 'All rows or none', de: 'Alle Zeilen oder keine' },
  atomicHelp: { en: 'If one row fails, nothing is written.', de: 'Schlägt eine Zeile fehl, wird nichts geschrieben.' },
  approval: { en: 'Somebody approves each file', de: 'Jemand gibt jede Datei frei' },
  approvalHelp: {
    en: 'Its import shows what it would change, and waits.',
    de: 'Ihr Import zeigt, was sich ändern würde, und wartet.',
  },
});

const MOST_PROFILES = 100;

export function ImportFields({ values, wrong, onChange }: FormFieldsProps<FeedValues>) {
  const t = useText();
  const f = useFeedText();
  const api = useApi();
  const { stage } = usePresent();
  const { fileType, profile, mode } = values;
  const { data: profiles } = useQuery({
    queryKey: ['export-profiles', stage.name, fileType],
    queryFn: ({ signal }) =>
      api.listImportProfiles({ fileType: fileType as 'ITEM_IMPORT', limit: MOST_PROFILES }, { signal }),
  });
  const known = (profiles?.data ?? []).map(({ name }) => name);
  // One that was deleted meanwhile, or is not among the first, is still what is saved.
  const names = profile.startsWith('=') && !known.includes(profile.slice(1)) ? [profile.slice(1), ...known] : known;
  const types = FILE_TYPES.some((type) => type === fileType) ? FILE_TYPES : [...FILE_TYPES, fileType];
  const problem = wrong.get('options.profile');
  return (
    <Section title={t('title')}>
      <div className="field-grid">
        <ChoiceInput
          label={t('fileType')}
          value={fileType}
          choices={types.map((id) => ({ id, label: f(id) }))}
          onChange={(type) => onChange({ fileType: type, profile: 'DEFAULT' })}
        />
        <ChoiceInput
          label={t('profile')}
          value={profile}
          choices={[
            { id: 'DEFAULT', label: t('DEFAULT') },
            { id: 'NONE', label: t('NONE') },
            ...names.map((name) => ({ id: `=${name}`, label: name })),
          ]}
          onChange={(chosen) => onChange({ profile: chosen })}
        />
        <ChoiceInput
          label={t('mode')}
          value={mode}
          choices={(['upsert', 'insert', 'update'] as const).map((id) => ({ id, label: t(id) }))}
          onChange={(chosen) => onChange({ mode: chosen })}
        />
      </div>
      {problem === undefined ? null : <p className="field-error">{problem}</p>}
      <p className="note">
        {t('profiles')}{' '}
        <Link to="/$stage/imports/profiles" params={{ stage: stage.name }} target="_blank">
          {t('show')}
        </Link>
      </p>
      <SwitchInput
        label={t('atomic')}
        help={t('atomicHelp')}
        isOn={values.isAtomic}
        onChange={(isAtomic) => onChange({ isAtomic })}
      />
      <SwitchInput
        label={t('approval')}
        help={t('approvalHelp')}
        isOn={values.asksApproval}
        onChange={(asksApproval) => onChange({ asksApproval })}
      />
      {fileType === 'ATTRIBUTE_IMPORT' || fileType === 'CATEGORY_IMPORT' ? null : (
        <SnapshotFields
          values={values.snapshot}
          wrong={wrong}
          onChange={(change) => onChange({ snapshot: { ...values.snapshot, ...change } })}
        />
      )}
    </Section>
  );
}
