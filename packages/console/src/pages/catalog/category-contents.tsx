/** What keeps a category from being deleted, and the way to empty it: its categories as links, its items moved to another one. */
import type { LongshoreClient, schemas } from '@longshore/client';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { Button } from '../../components/button.js';
import { Notice } from '../../components/content.js';
import { ErrorPanel } from '../../components/error-panel.js';
import { useApi, usePresent } from '../../session/session-context.js';
import { useFormat } from '../../texts/format.js';
import { textsOf } from '../../texts/texts.js';
import { CategoryPick, pathOf } from './category-pick.js';
import { categoriesKey, type TreeNode } from './category-tree.js';
import { FailedRows } from './failed-rows.js';
import { UndoWritten } from './undo-written.js';

const MOST_NAMED = 5;
const PAGE = 200;

const useText = textsOf('category-contents', {
  below: {
    en: '{count, plural, one {# category is below it: move or delete it first.} other {# categories are below it: move or delete them first.}}',
    de: '{count, plural, one {# Kategorie ist darunter: Verschieben oder löschen Sie diese zuerst.} other {# Kategorien sind darunter: Verschieben oder löschen Sie diese zuerst.}}',
  },
  further: { en: 'and {count} more', de: 'und {count} weitere' },
  to: { en: 'Move its items to', de: 'Ihre Artikel verschieben nach' },
  search: { en: 'Search a category', de: 'Kategorie suchen' },
  chosen: { en: 'They go to: {path}', de: 'Sie kommen nach: {path}' },
  move: {
    en: '{count, plural, one {Move # item} other {Move # items}}',
    de: '{count, plural, one {# Artikel verschieben} other {# Artikel verschieben}}',
  },
  moving: { en: 'Moved so far: {count}', de: 'Bis jetzt verschoben: {count}' },
  moved: {
    en: '{count, plural, =0 {No item was moved} one {# item was moved} other {# items were moved}}',
    de: '{count, plural, =0 {Kein Artikel wurde verschoben} one {# Artikel wurde verschoben} other {# Artikel wurden verschoben}}',
  },
  waits: { en: 'The move waits for an approval', de: 'Das Verschieben wartet auf eine Freigabe' },
  waitsHelp: {
    en: 'The items stay here until somebody approves it.',
    de: 'Die Artikel bleiben hier, bis jemand es freigibt.',
  },
  job: { en: 'Show the whole result', de: 'Ganzes Ergebnis ansehen' },
  alternate: {
    en: 'Take them out of it first: by the column of a file, or on the pages of the items.',
    de: 'Nehmen Sie diese zuerst heraus: mit der Spalte einer Datei oder auf den Seiten der Artikel.',
  },
});

/** The categories that are below one, the first of them as links. */
export function CategoriesBelow({ node, below }: { readonly node: TreeNode; readonly below: number }) {
  const t = useText();
  const api = useApi();
  const format = useFormat();
  const { stage } = usePresent();
  const { data } = useQuery({
    queryKey: [...categoriesKey(stage.name), 'first', node.nodeId],
    queryFn: ({ signal }) => api.listChildCategories({ nodeId: node.nodeId, limit: MOST_NAMED }, { signal }),
  });
  const { data: children = [], count = 0 } = data ?? {};
  return (
    <>
      {t('below', { count: below })}{' '}
      {children.map(({ nodeId, name }, nth) => (
        <span key={nodeId}>
          {nth === 0 ? '' : ', '}
          <Link to="/$stage/categories" params={{ stage: stage.name }} search={{ category: String(nodeId) }}>
            <bdi>{name}</bdi>
          </Link>
        </span>
      ))}
      {count > children.length ? ` ${t('further', { count: format.number(count - children.length) })}` : ''}
    </>
  );
}

interface MoveItemsProps {
  readonly node: TreeNode;
  readonly count: number;
  /** Items have left it, or are there again. */
  readonly onMoved: () => void;
}

interface Moved {
  readonly jobIds: readonly string[];
  readonly count: number;
  readonly failed: Awaited<ReturnType<LongshoreClient['bulk']>>['failed'];
  readonly waits: boolean;
}

/** Moves all items of a category to another one, as jobs that can be taken back. */
export function MoveItems({ node, count, onMoved }: MoveItemsProps) {
  const t = useText();
  const api = useApi();
  const format = useFormat();
  const queries = useQueryClient();
  const { stage } = usePresent();
  const [target, setTarget] = useState<schemas.Category>();
  const [done, setDone] = useState<number>();
  const [moved, setMoved] = useState<Moved>();
  const [error, setError] = useState<unknown>();
  if (node.type === 'ALTERNATE') return count === 0 ? null : <p className="note">{t('alternate')}</p>;
  const refresh = async () => {
    onMoved();
    await queries.invalidateQueries({ queryKey: ['item'] });
  };
  const move = async ({ nodeId }: schemas.Category) => {
    setError(undefined);
    setDone(0);
    try {
      const onProgress = ({ rows }: { readonly rows: number }) => setDone(rows);
      const sent = await api.bulk('updateItems', rowsOf(api, node.nodeId, nodeId), { onProgress });
      const waits = sent.awaitingApproval.length > 0;
      setMoved({ jobIds: sent.jobIds, count: sent.rows - sent.failed.length, failed: sent.failed, waits });
      setTarget(undefined);
      await refresh();
    } catch (failure) {
      setError(failure);
    }
    setDone(undefined);
  };
  return (
    <div className="form">
      {count === 0 ? null : (
        <CategoryPick label={t('to')} placeholder={t('search')} type="PRIMARY" onChoose={setTarget} />
      )}
      {target === undefined ? null : (
        <>
          <p role="status">{t('chosen', { path: pathOf(target) })}</p>
          <div className="actions">
            <Button isPending={done !== undefined} isDisabled={done !== undefined} onPress={() => void move(target)}>
              {t('move', { count })}
            </Button>
            {done === undefined ? null : <span role="status">{t('moving', { count: format.number(done) })}</span>}
          </div>
        </>
      )}
      {error === undefined ? null : <ErrorPanel error={error} />}
      {moved === undefined ? null : <Result moved={moved} stage={stage.name} onUndone={() => void refresh()} />}
    </div>
  );
}

interface ResultProps {
  readonly moved: Moved;
  readonly stage: string;
  readonly onUndone: () => void;
}

function Result({ moved: { jobIds, count, failed, waits }, stage, onUndone }: ResultProps) {
  const t = useText();
  const tone = waits || failed.length > 0 ? 'warn' : 'good';
  return (
    <>
      <Notice tone={tone} title={waits ? t('waits') : t('moved', { count })}>
        {waits ? <p>{t('waitsHelp')}</p> : null}
        {jobIds.map((jobId) => (
          <p key={jobId}>
            <Link to="/$stage/imports/$jobId" params={{ stage, jobId }}>
              {t('job')}
            </Link>
          </p>
        ))}
      </Notice>
      <FailedRows failed={failed} />
      {waits || count === 0
        ? null
        : jobIds.map((jobId) => <UndoWritten key={jobId} jobId={jobId} onUndone={onUndone} />)}
    </>
  );
}

/** In the order of their SKUs: those that are moved already are behind. */
async function* rowsOf(
  api: LongshoreClient,
  from: number,
  nodeId: number,
): AsyncGenerator<{ readonly sku: string; readonly nodeId: number }> {
  const asked = { match: { categoryId: [from] }, limit: PAGE };
  for (let next: schemas.ItemSearchNext = {}; next !== null; ) {
    const page: schemas.FoundItems = await api.searchItems({ body: { ...asked, ...next } });
    for (const { sku } of page.items) yield { sku, nodeId };
    next = page.next;
  }
}
