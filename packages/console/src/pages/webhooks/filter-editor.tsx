/** The text of a filter, with examples to begin from; it is tried, and saved. */

import type { EventLog } from '@longshore/client';
import { LongshoreError } from '@longshore/client';
import { useState } from 'react';
import { Button } from '../../components/button.js';
import { Section } from '../../components/content.js';
import { ErrorPanel } from '../../components/error-panel.js';
import { TextAreaInput } from '../../components/text-area.js';
import { tell } from '../../components/toasts.js';
import { useApi } from '../../session/session-context.js';
import { textsOf } from '../../texts/texts.js';
import type { Definition } from './health.js';
import { useRefresh } from './use-definition.js';

const useText = textsOf('filter-editor', {
  filter: { en: 'Filter as JSON', de: 'Filter als JSON' },
  help: { en: 'Empty: it gets all its events', de: 'Leer: Er bekommt alle seine Ereignisse' },
  begin: { en: 'Begin with', de: 'Beginnen mit' },
  equals: { en: 'a value', de: 'einem Wert' },
  in: { en: 'one of several', de: 'einem von mehreren' },
  contains: { en: 'a list that contains', de: 'einer Liste, die enthält' },
  all: { en: 'several conditions', de: 'mehreren Bedingungen' },
  noJson: { en: 'This is not JSON: {error}', de: 'Das ist kein JSON: {error}' },
  longNumber: {
    en: 'A browser cannot keep all digits of {number}: set this filter by the API.',
    de: 'Ein Browser kann nicht alle Stellen von {number} behalten: Setzen Sie diesen Filter über die API.',
  },
  try: { en: 'Try it', de: 'Ausprobieren' },
  save: { en: 'Save the filter', de: 'Filter speichern' },
  saved: { en: 'The filter applies to events from now on', de: 'Der Filter gilt für Ereignisse ab jetzt' },
  noEvents: {
    en: 'There is no event of this webhook yet to try it on.',
    de: 'Es gibt noch kein Ereignis dieses Webhooks, an dem man ihn ausprobieren könnte.',
  },
});

/** JavaScript keeps so many digits of any number. */
const MOST_DIGITS = 15;

const EXAMPLES = {
  equals: { path: '/status', equals: 'PAID' },
  in: { path: '/customer/country', in: ['DE', 'AT', 'CH'] },
  contains: { path: '/skus', contains: 'A-100' },
  all: {
    all: [
      { path: '/status', in: ['PAID', 'SHIPPED'] },
      {
        any: [
          { path: '/customer/country', equals: 'DE' },
          { path: '/gift', exists: true },
        ],
      },
    ],
  },
} as const;

interface FilterEditorProps {
  readonly definition: Definition;
  readonly text: string;
  readonly isChanged: boolean;
  readonly mayWrite: boolean;
  /** Undefined: they are not known. */
  readonly events: readonly EventLog[] | undefined;
  readonly onChange: (text: string) => void;
  readonly onTried: (passing: ReadonlyMap<string, boolean>) => void;
  readonly onSaved: () => void;
}

export function FilterEditor(props: FilterEditorProps) {
  const { definition, text, isChanged, mayWrite, events, onChange, onTried, onSaved } = props;
  const t = useText();
  const api = useApi();
  const refresh = useRefresh();
  const [error, setError] = useState<unknown>();
  const [noJson, setNoJson] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const doing = (act: (filter: unknown) => Promise<void>) => async () => {
    setError(undefined);
    const parsed = parsedOf(text);
    const number = longNumberIn(text);
    if ('error' in parsed) return setNoJson(t('noJson', { error: parsed.error }));
    if (number !== undefined) return setNoJson(t('longNumber', { number }));
    setNoJson(undefined);
    setBusy(true);
    try {
      await act(parsed.filter);
    } catch (failure) {
      setError(failure);
    }
    setBusy(false);
  };
  const attempt = doing(async (filter) => {
    const eventRequestIds = (events ?? []).map((event) => event.eventRequestId);
    const tried = await api.tryWebhookFilter({ body: { filter, eventRequestIds } });
    onTried(new Map(tried.events.map(({ eventRequestId, passes }) => [eventRequestId, passes])));
  });
  const save = doing(async (filter) => {
    await api.updateWebhook({ webhookId: definition.webhookId, body: { filter } });
    tell({ tone: 'good', title: t('saved') });
    onSaved();
    await refresh();
  });
  const change = (next: string) => {
    setError(undefined);
    setNoJson(undefined);
    onChange(next);
  };
  return (
    <Section title={t('filter')} note={t('help')}>
      <div className="actions">
        <span className="small">{t('begin')}</span>
        {(['equals', 'in', 'contains', 'all'] as const).map((key) => (
          <Button key={key} kind="quiet" onPress={() => change(JSON.stringify(EXAMPLES[key], null, 2))}>
            {t(key)}
          </Button>
        ))}
      </div>
      <TextAreaInput
        label={t('filter')}
        error={noJson ?? problemOf(error)}
        isCode
        rows={10}
        value={text}
        onChange={change}
        isReadOnly={isBusy}
      />
      {error === undefined || problemOf(error) !== undefined ? null : <ErrorPanel error={error} />}
      {events?.length === 0 ? <p className="note">{t('noEvents')}</p> : null}
      <div className="actions">
        <Button
          kind="primary"
          icon="filter"
          isPending={isBusy}
          isDisabled={(events ?? []).length === 0}
          onPress={attempt}
        >
          {t('try')}
        </Button>
        {mayWrite ? (
          <Button icon="save" isPending={isBusy} isDisabled={!isChanged} onPress={save}>
            {t('save')}
          </Button>
        ) : null}
      </div>
    </Section>
  );
}

function parsedOf(text: string): { readonly filter: unknown } | { readonly error: string } {
  if (text.trim() === '') return { filter: null };
  try {
    return { filter: JSON.parse(text) as unknown };
  } catch (failure) {
    return { error: failure instanceof Error ? failure.message : String(failure) };
  }
}

/** A number that JavaScript would send with other digits. */
function longNumberIn(text: string): string | undefined {
  const numbers = text.replace(/"(?:[^"\\]|\\.)*"/g, '""').match(/[-+.\deE]*\d[-+.\deE]*/g) ?? [];
  return numbers.find((number) => number.replace(/[eE].*|[-+.]/g, '').replace(/^0+/, '').length > MOST_DIGITS);
}

/** What the API says is wrong with the filter, and where. */
function problemOf(error: unknown): string | undefined {
  if (!(error instanceof LongshoreError)) return undefined;
  const problem = error.problems.find(({ path }) => path?.startsWith('filter') === true);
  return problem === undefined ? undefined : `${problem.path}: ${problem.message}`;
}
