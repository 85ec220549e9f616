/** Items as a table in which only the rows that are seen exist: it is as smooth with a thousand rows as with ten. */
import { Link } from '@tanstack/react-router';
import { type ReactNode, type UIEvent, useCallback, useLayoutEffect, useRef, useState } from 'react';
import { usePresent } from '../../session/session-context.js';
import { textsOf } from '../../texts/texts.js';
import { type ItemColumn, useColumnText } from './columns.js';
import type { Direction, FoundItem, WindowState } from './item-window.js';
import { moveByArrows } from './move-by-arrows.js';

const ROW = 38;
/** Rows beyond the edges, so that nothing is blank while one scrolls. */
const MARGIN = 14;
/** Further rows are asked for before the edge is reached. */
const AHEAD = 40;
const SKU_WIDTH = 170;

const useText = textsOf('items-table', {
  caption: { en: 'Items', de: 'Artikel' },
  loading: { en: 'Loading …', de: 'Wird geladen …' },
});

interface ItemsTableProps {
  readonly state: WindowState;
  /** Which window the rows are of: another one begins at its top. */
  readonly windowKey: string;
  /** Whether the table begins at its last row. */
  readonly isAtEnd: boolean;
  readonly isFormer: boolean;
  readonly columns: readonly ItemColumn[];
  readonly isEditing: boolean;
  readonly cell: (item: FoundItem, column: ItemColumn) => ReactNode;
  readonly onEdge: (direction: Direction) => void;
  /** The first item that is seen; undefined: the first of all. */
  readonly onFirst: (sku: string | undefined) => void;
}

export function ItemsTable(props: ItemsTableProps) {
  const { state, windowKey, isAtEnd, isFormer, columns, isEditing, cell, onEdge, onFirst } = props;
  const t = useText();
  const c = useColumnText();
  const { stage } = usePresent();
  const place = useRef<HTMLElement>(null);
  const [seen, setSeen] = useState({ first: 0, count: 30 });
  const { rows, above, up, down, loading } = state;

  const look = useCallback(() => {
    const element = place.current;
    if (element === null) return;
    const first = Math.max(0, Math.floor(element.scrollTop / ROW));
    const count = Math.ceil(element.clientHeight / ROW) + 1;
    setSeen((before) => (before.first === first && before.count === count ? before : { first, count }));
    onFirst(first === 0 && up === null ? undefined : rows[first]?.sku);
    if (loading !== undefined || isFormer) return;
    if (first + count > rows.length - AHEAD && down !== null) onEdge('down');
    else if (first < AHEAD && up !== null) onEdge('up');
  }, [rows, up, down, loading, isFormer, onEdge, onFirst]);

  // What is seen stays where it is when rows come or go above it.
  const anchor = useRef({ key: windowKey, above, begun: false });
  useLayoutEffect(() => {
    const element = place.current;
    if (element === null) return;
    const before = anchor.current;
    if (before.key !== windowKey) element.scrollTop = isAtEnd ? rows.length * ROW : 0;
    else if (isAtEnd && !before.begun && rows.length > 0) element.scrollTop = rows.length * ROW;
    else if (before.above !== above) element.scrollTop += (above - before.above) * ROW;
    anchor.current = { key: windowKey, above, begun: rows.length > 0 };
    look();
  }, [windowKey, above, rows, isAtEnd, look]);

  const first = Math.max(0, Math.min(seen.first, rows.length - 1) - MARGIN);
  const last = Math.min(rows.length, seen.first + seen.count + MARGIN);
  const width = columns.reduce((sum, column) => sum + column.width, SKU_WIDTH);
  return (
    <section
      ref={place}
      className={isFormer ? 'item-scroll former' : 'item-scroll'}
      aria-label={t('caption')}
      aria-busy={isFormer || loading !== undefined}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard
      tabIndex={0}
      onScroll={(event: UIEvent) => event.target === place.current && look()}
    >
      <table
        className={isEditing ? 'table dense item-table editing' : 'table dense item-table'}
        style={{ minWidth: width }}
        aria-rowcount={up === null && down === null ? rows.length + 1 : -1}
        onKeyDown={moveByArrows}
      >
        <caption className="unseen">{t('caption')}</caption>
        <colgroup>
          <col style={{ width: SKU_WIDTH }} />
          {columns.map((column) => (
            <col key={column.id} style={{ width: column.width }} />
          ))}
        </colgroup>
        <thead>
          <tr>
            <th scope="col" className="item-sku">
              {c('sku')}
            </th>
            {columns.map((column) => (
              <th key={column.id} scope="col" className={column.isNumber ? 'number' : ''} title={column.title}>
                <bdi>{column.title}</bdi>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          <Space rows={first} columns={columns.length + 1} />
          {rows.slice(first, last).map((item, index) => (
            <tr key={item.sku} className="item-row" aria-rowindex={up === null ? first + index + 2 : undefined}>
              <th scope="row" className="item-sku">
                <Link
                  to="/$stage/items/item"
                  params={{ stage: stage.name }}
                  search={{ sku: item.sku }}
                  title={item.sku}
                >
                  <bdi>{item.sku}</bdi>
                </Link>
              </th>
              {columns.map((column) => (
                <td key={column.id} className={column.isNumber ? 'number' : ''}>
                  {cell(item, column)}
                </td>
              ))}
            </tr>
          ))}
          <Space rows={rows.length - last} columns={columns.length + 1} />
        </tbody>
      </table>
      {loading === 'down' && rows.length > 0 ? <p className="item-loading note">{t('loading')}</p> : null}
    </section>
  );
}

/** The room of rows that are not there because nobody sees them. */
function Space({ rows, columns }: { readonly rows: number; readonly columns: number }) {
  if (rows <= 0) return null;
  return (
    // biome-ignore lint/a11y/noAriaHiddenOnFocusable: nothing in it takes the focus
    <tr aria-hidden="true" className="item-space" style={{ height: rows * ROW }}>
      <td colSpan={columns} />
    </tr>
  );
}
