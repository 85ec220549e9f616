/** The form of the file that an export writes: its format, the profile whose columns it has, and which columns. */
import { useQuery } from '@tanstack/react-query';
import { ChoiceInput } from '../../components/choice-input.js';
import { Section } from '../../components/content.js';
import { RadioCards } from '../../components/radio-cards.js';
import { useApi, usePresent } from '../../session/session-context.js';
import { textsOf } from '../../texts/texts.js';
import type { Definitions } from '../catalog/use-attributes.js';
import { ExportColumns } from './export-columns.js';
import type { ExportForm } from './start-export.js';

const useText = textsOf('export-file', {
  form: { en: 'The file', de: 'Die Datei' },
  format: { en: 'Format', de: 'Format' },
  CSV: { en: 'CSV', de: 'CSV' },
  CSVHelp: { en: 'For nearly every program', de: 'Für fast jedes Programm' },
  XLSX: { en: 'Excel', de: 'Excel' },
  XLSXHelp: { en: 'A workbook, up to 1,048,575 rows', de: 'Eine Arbeitsmappe, bis 1.048.575 Zeilen' },
  JSONL: { en: 'JSON Lines', de: 'JSON Lines' },
  JSONLHelp: { en: 'For programs; loses nothing', de: 'Für Programme; verliert nichts' },
  csv: { en: 'Delimiter and decimals', de: 'Trennzeichen und Dezimalzahlen' },
  standard: { en: 'Comma, 1234.5', de: 'Komma, 1234.5' },
  semicolon: { en: 'Semicolon, 1234,5 (Excel in German)', de: 'Semikolon, 1234,5 (deutsches Excel)' },
  profile: { en: 'Columns as in the profile', de: 'Spalten wie im Profil' },
  noProfile: { en: 'None: the columns of Longshore', de: 'Keines: die Spalten von Longshore' },
});

const FORMATS = ['CSV', 'XLSX', 'JSONL'] as const;
const MOST_PROFILES = 100;
const FILE_TYPES = {
  items: 'ITEM_IMPORT',
  bundles: 'BUNDLE_IMPORT',
  attributes: 'ATTRIBUTE_IMPORT',
  categories: 'CATEGORY_IMPORT',
} as const;

interface FileFormProps {
  readonly form: ExportForm;
  readonly definitions: Definitions | undefined;
  readonly onChange: (form: ExportForm) => void;
}

export function FileForm({ form, definitions, onChange }: FileFormProps) {
  const t = useText();
  const api = useApi();
  const { stage } = usePresent();
  const isOfItems = form.what === 'items' || form.what === 'bundles';
  const fileType = FILE_TYPES[form.what];
  const { data: profiles } = useQuery({
    queryKey: ['export-profiles', stage.name, fileType],
    queryFn: ({ signal }) => api.listImportProfiles({ fileType, limit: MOST_PROFILES }, { signal }),
  });
  return (
    <Section title={t('form')}>
      <RadioCards
        label={t('format')}
        value={form.format}
        choices={FORMATS.filter((one) => one !== 'JSONL' || form.profile === undefined).map((value) => ({
          value,
          label: t(value),
          help: t(`${value}Help`),
        }))}
        onChange={(value) => onChange({ ...form, format: value as 'CSV' })}
      />
      <div className="filters">
        {form.format === 'CSV' && form.profile === undefined ? (
          <ChoiceInput
            label={t('csv')}
            value={form.csv}
            choices={(['standard', 'semicolon'] as const).map((id) => ({ id, label: t(id) }))}
            onChange={(csv) => onChange({ ...form, csv })}
          />
        ) : null}
        <ChoiceInput
          label={t('profile')}
          value={form.profile ?? ''}
          choices={[
            { id: '', label: t('noProfile') },
            ...(profiles?.data ?? []).map(({ name }) => ({ id: name, label: name })),
          ]}
          onChange={(profile) => {
            const { profile: _, ...others } = form;
            const shape = others.format === 'JSONL' ? 'CSV' : others.format;
            onChange(profile === '' ? others : { ...others, format: shape, profile });
          }}
        />
      </div>
      {isOfItems && form.profile === undefined && definitions !== undefined ? (
        <ExportColumns
          definitions={definitions}
          chosen={form.columns}
          onChoose={(columns) => {
            const { columns: _, ...others } = form;
            onChange(columns === undefined ? others : { ...others, columns });
          }}
        />
      ) : null}
    </Section>
  );
}
