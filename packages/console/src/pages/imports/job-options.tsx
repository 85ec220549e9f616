/** How an import was asked for: what differs from an import of which nothing was said, in words. */
import type { Job } from '@longshore/client';
import { useFormat } from '../../texts/format.js';
import { textsOf } from '../../texts/texts.js';
import { wayOf } from './removal.js';

const useText = textsOf('job-options', {
  upsert: { en: 'new and existing items', de: 'neue und vorhandene Artikel' },
  insert: { en: 'new items only', de: 'nur neue Artikel' },
  update: { en: 'existing items only', de: 'nur vorhandene Artikel' },
  upsertOthers: { en: 'new and existing ones', de: 'neue und vorhandene' },
  insertOthers: { en: 'new ones only', de: 'nur neue' },
  updateOthers: { en: 'existing ones only', de: 'nur vorhandene' },
  atomic: { en: 'all rows or none', de: 'alle Zeilen oder keine' },
  approval: { en: 'with approval', de: 'mit Freigabe' },
  creates: { en: 'creates missing {what}', de: 'legt an, was fehlt: {what}' },
  attributes: { en: 'attributes', de: 'Attribute' },
  options: { en: 'options', de: 'Optionen' },
  categories: { en: 'categories', de: 'Kategorien' },
  assignments: { en: 'assignments', de: 'Zuordnungen' },
  stage: { en: 'the file is complete', de: 'die Datei ist vollständig' },
  category: {
    en: 'the file is complete for the category {name}',
    de: 'die Datei ist vollständig für die Kategorie {name}',
  },
  attribute: {
    en: 'the file is complete for {name} = {value}',
    de: 'die Datei ist vollständig für {name} = {value}',
  },
  feed: {
    en: 'the file is complete for what its feed has brought',
    de: 'die Datei ist vollständig für das, was ihr Feed gebracht hat',
  },
  delete: { en: 'what it lacks is deleted', de: 'was fehlt, wird gelöscht' },
  set: { en: 'what it lacks gets a value', de: 'was fehlt, bekommt einen Wert' },
  clear: { en: 'of what it lacks values are cleared', de: 'von dem, was fehlt, werden Werte geleert' },
});

const CREATABLE = ['attributes', 'options', 'categories', 'assignments'] as const;
const MODES = ['upsert', 'insert', 'update'] as const;

const OF_ITEMS = /^(?:ITEM|BUNDLE)_/;

type Members = Readonly<Record<string, unknown>>;

/** @returns nothing for a job that has no such options */
export function useJobOptions(): (job: Job) => readonly string[] {
  const t = useText();
  const format = useFormat();
  return (job) => {
    const { mode, onError, requireApproval, createMissing } = job.options;
    const known = MODES.find((one) => one === mode);
    const created = CREATABLE.filter((kind) => (Object(createMissing) as Members)[kind] === true);
    return [
      ...(known === undefined ? [] : [t(OF_ITEMS.test(job.type) ? known : `${known}Others`)]),
      ...(onError === 'abort' ? [t('atomic')] : []),
      ...(requireApproval === true || job.decision !== null ? [t('approval')] : []),
      ...(created.length === 0 ? [] : [t('creates', { what: format.list(created.map((kind) => t(kind))) })]),
      ...formatOf(job),
      ...snapshotOf(job, t),
    ];
  };
}

/** The form of the file: such as CSV, by the ending of its name, and what was said of how it is written. */
function formatOf({ inputFileName, options }: Job): string[] {
  const ending = /\.([a-z0-9]{2,5})$/i.exec(inputFileName ?? '')?.[1];
  const { encoding, delimiter, sheet, decimalSeparator, dateFormat } = options;
  const quoted = [delimiter, decimalSeparator].map((sign) => (typeof sign === 'string' ? `“${sign}”` : undefined));
  const said = [ending?.toUpperCase(), encoding, ...quoted, sheet, dateFormat].filter((one) => typeof one === 'string');
  return said.length === 0 ? [] : [said.join(' ')];
}

function snapshotOf(job: Job, t: ReturnType<typeof useText>): string[] {
  const way = wayOf(job);
  if (way === undefined) return [];
  const { scope } = job.options.snapshot as Members;
  const { category, attribute, value } = Object(scope) as Members;
  const within =
    scope === 'stage'
      ? t('stage')
      : category !== undefined
        ? t('category', { name: String(category) })
        : attribute !== undefined
          ? t('attribute', { name: String(attribute), value: String(value) })
          : t('feed');
  return [within, t(way)];
}
