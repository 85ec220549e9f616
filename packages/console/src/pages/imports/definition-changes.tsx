/** What a job has changed of definitions and around the catalog, or would change: one line for each property, with what it was and what it is. */
import type { schemas } from '@longshore/client';
import { useQuery } from '@tanstack/react-query';
import { ErrorPanel } from '../../components/error-panel.js';
import { type Column, DataTable } from '../../components/table.js';
import { useApi, usePresent } from '../../session/session-context.js';
import { useFormat } from '../../texts/format.js';
import { setApart } from '../../texts/set-apart.js';
import { textsOf } from '../../texts/texts.js';
import { ChangeValue } from './change-value.js';
import { differencesOf, type PropertyChange } from './definition-differences.js';
import { usePropertyWords } from './property-words.js';

/** Of more definitions the first are shown: the file of the changes has all of them. */
const MOST_DEFINITIONS = 100;
const MOST_LINES = 100;
/** What is no definition of the catalog, and changed by the import of an archive only. */
const AROUND: ReadonlySet<string> = new Set<schemas.ChangedDefinitions['kind']>(['profile', 'settings', 'webhook']);

const useText = textsOf('definition-changes', {
  title: { en: 'Attributes, categories and assignments', de: 'Attribute, Kategorien und Zuordnungen' },
  titleAround: {
    en: 'Definitions, import profiles, settings and webhooks',
    de: 'Definitionen, Importprofile, Einstellungen und Webhooks',
  },
  definition: { en: 'Definition', de: 'Definition' },
  what: { en: 'What', de: 'Was' },
  property: { en: 'Property', de: 'Eigenschaft' },
  before: { en: 'Before', de: 'Vorher' },
  after: { en: 'After', de: 'Nachher' },
  attribute: { en: 'Attribute', de: 'Attribut' },
  category: { en: 'Category', de: 'Kategorie' },
  assignment: { en: 'Assignment', de: 'Zuordnung' },
  mapping: { en: 'Role', de: 'Rolle' },
  assigned: { en: '{attribute} to {path}', de: '{attribute} in {path}' },
  profile: { en: 'Import profile', de: 'Importprofil' },
  settings: { en: 'Settings', de: 'Einstellungen' },
  webhook: { en: 'Webhook', de: 'Webhook' },
  CREATED: { en: 'new', de: 'neu' },
  UPDATED: { en: 'changed', de: 'geändert' },
  DELETED: { en: 'deleted', de: 'gelöscht' },
  more: {
    en: 'These are the first lines. The job changes {count} definitions: its changes can be downloaded through the API.',
    de: 'Das sind die ersten Zeilen. Der Auftrag ändert {count} Definitionen: Seine Änderungen gibt es über die API als Datei.',
  },
});

interface DefinitionChangesProps {
  readonly jobId: string;
  /** How many there are of each kind. */
  readonly counts: readonly schemas.ChangedDefinitions[];
}

export function DefinitionChanges({ jobId, counts }: DefinitionChangesProps) {
  const t = useText();
  const api = useApi();
  const format = useFormat();
  const words = usePropertyWords();
  const { stage } = usePresent();
  const { data, error, refetch } = useQuery({
    queryKey: ['definition-changes', stage.name, jobId],
    queryFn: ({ signal }) =>
      api.listJobChanges({ id: jobId, limit: MOST_DEFINITIONS, types: counts.map(({ kind }) => kind) }, { signal }),
  });
  if (error !== null) return <ErrorPanel error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return null;
  const title = t(counts.some(({ kind }) => AROUND.has(kind)) ? 'titleAround' : 'title');
  const count = counts.reduce((sum, { created, updated, deleted }) => sum + created + updated + deleted, 0);
  const lines = data.data.flatMap(differencesOf);
  const assignmentOf = (name: string) => {
    const [attribute = '', path, ...others] = name.split(' to ');
    // A name that has the word itself cannot be told from it.
    return path === undefined || others.length > 0 ? name : t('assigned', { attribute, path: pathInWords(path) });
  };
  const columns: Column<PropertyChange>[] = [
    {
      id: 'name',
      title: t('definition'),
      isHeader: true,
      cell: ({ kind, name }) => (
        <bdi>
          {kind === 'settings'
            ? t(kind)
            : kind === 'assignment'
              ? assignmentOf(name)
              : kind !== 'category'
                ? name
                : name === 'PRIMARY'
                  ? String(words.value('type', name))
                  : pathInWords(name)}
        </bdi>
      ),
    },
    {
      id: 'what',
      title: t('what'),
      cell: ({ kind, operation }) => `${kind === 'item' ? '' : t(kind)}, ${operation === 'STATUS' ? '' : t(operation)}`,
    },
    { id: 'property', title: t('property'), cell: ({ property, kind }) => <bdi>{words.name(property, kind)}</bdi> },
    {
      id: 'before',
      title: t('before'),
      cell: ({ property, before }) => <ChangeValue value={words.value(property, before)} />,
    },
    {
      id: 'after',
      title: t('after'),
      cell: ({ property, after }) => <ChangeValue value={words.value(property, after)} />,
    },
  ];
  return (
    <div className="changes-part">
      <h3>{title}</h3>
      <DataTable isDense caption={title} columns={columns} rows={lines.slice(0, MOST_LINES)} keyOf={({ key }) => key} />
      {count > data.data.length || lines.length > MOST_LINES ? (
        <p className="note">{t('more', { count: format.number(count) })}</p>
      ) : null}
    </div>
  );
}

/** The path of a category as people read it. */
function pathInWords(path: string): string {
  return path.split('->').map(setApart).join(' › ');
}
