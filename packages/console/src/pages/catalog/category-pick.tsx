/** Chooses a category by a part of its name; the whole path is shown. */
import type { schemas } from '@longshore/client';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useDeferredValue, useState } from 'react';
import { useApi, usePresent } from '../../session/session-context.js';
import { inWords } from './category-tree.js';
import { PickInput } from './pick-input.js';

const MOST_OFFERED = 30;

interface CategoryPickProps {
  readonly label: string;
  readonly placeholder?: string;
  readonly type?: 'PRIMARY' | 'ALTERNATE';
  readonly onChoose: (category: schemas.Category) => void;
}

export function CategoryPick({ label, placeholder = '', type, onChoose }: CategoryPickProps) {
  const api = useApi();
  const { stage } = usePresent();
  const [text, setText] = useState('');
  const keyword = useDeferredValue(text.trim());
  /** Nothing is offered before somebody wants to choose. */
  const [isEntered, setEntered] = useState(false);
  const { data } = useQuery({
    queryKey: ['category-pick', stage.name, keyword, type],
    enabled: isEntered,
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => {
      const given = { ...(keyword === '' ? {} : { keyword }), ...(type === undefined ? {} : { type }) };
      return api.listCategories({ ...given, limit: MOST_OFFERED }, { signal });
    },
  });
  // Until the answer for this text is there, only those of the former one are offered that it finds too: who types and
  // presses two keys at once would choose one that has nothing to do with the text.
  const typed = text.trim().toLowerCase();
  const found = (data?.data ?? []).filter(({ name }) => name.toLowerCase().includes(typed));
  return (
    <PickInput
      label={label}
      placeholder={placeholder}
      text={text}
      offered={found.map((category) => ({ id: String(category.nodeId), label: pathOf(category) }))}
      onText={setText}
      onEnter={() => setEntered(true)}
      onPick={(id) => {
        const category = found.find(({ nodeId }) => String(nodeId) === id);
        setText('');
        if (category !== undefined) onChoose(category);
      }}
    />
  );
}

/** The path as people read it; the root of the primary tree is not part of it. */
export function pathOf({ breadcrumbs, name, type }: Pick<schemas.Category, 'breadcrumbs' | 'name' | 'type'>): string {
  const names = breadcrumbs.map((one) => one.name);
  return inWords(type === 'PRIMARY' && names.length > 1 ? names.slice(1) : names) || name;
}

/** The path of an item's category as people read it. */
export function pathInWords(nodeName: string): string {
  return inWords(nodeName.replace(/^PRIMARY->(?=.)/, '').split('->'));
}

/** A category by its node id; undefined until it is known. */
export function useCategory(nodeId: number | undefined | null): schemas.Category | undefined {
  const api = useApi();
  const { stage } = usePresent();
  const { data } = useQuery({
    queryKey: ['category', stage.name, nodeId],
    enabled: nodeId !== undefined && nodeId !== null,
    queryFn: ({ signal }) => api.listCategories({ nodeIds: [nodeId ?? 0] }, { signal }),
  });
  return data?.data[0];
}
