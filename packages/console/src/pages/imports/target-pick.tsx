/** What a column of the file becomes: any attribute, another column of ours, a new attribute, or nothing. It is found by a part of its name. */
import type { schemas } from '@longshore/client';
import { useMemo, useState } from 'react';
import { useFormat } from '../../texts/format.js';
import { textsOf } from '../../texts/texts.js';
import { type Pick, PickInput } from '../catalog/pick-input.js';
import { useDefinitions } from '../catalog/use-attributes.js';
import { targetsOf } from '../profiles/targets.js';

const MOST_OFFERED = 40;
const NOTHING = 'nothing';

const useText = textsOf('target-pick', {
  target: { en: 'Becomes, for “{column}”', de: 'Wird zu, für „{column}“' },
  ignored: { en: 'Not imported', de: 'Nicht importieren' },
  new: { en: 'New attribute “{name}”', de: 'Neues Attribut „{name}“' },
  proposed: { en: 'proposed', de: 'vorgeschlagen' },
});

interface TargetPickProps {
  readonly from: string;
  /** null: it is not imported. */
  readonly present: string | null;
  /** The most probable first. */
  readonly proposed: readonly string[];
  readonly fileType: schemas.ImportProposal['fileType'];
  readonly onPick: (to: string | null) => void;
}

export function TargetPick({ from, present, proposed, fileType, onPick }: TargetPickProps) {
  const t = useText();
  const shown = present ?? t('ignored');
  // Undefined: nothing is typed, and what is chosen is shown.
  const [typed, setTyped] = useState<string>();
  // A file may have thousands of columns: only the one that has the focus knows what there is.
  const [hasFocus, setFocus] = useState(false);
  const offered = useOffered(
    { from, present, proposed, fileType, typed: typed === shown ? '' : (typed ?? '') },
    hasFocus,
  );
  return (
    <PickInput
      label={t('target', { column: from })}
      hidesLabel
      text={typed ?? shown}
      offered={offered}
      onText={(text) => setTyped(text === shown ? undefined : text)}
      onEnter={() => setFocus(true)}
      onLeave={() => {
        setTyped(undefined);
        setFocus(false);
      }}
      onPick={(id) => {
        const chosen = id === NOTHING ? null : id.slice('to '.length);
        if (chosen !== present) onPick(chosen);
      }}
    />
  );
}

interface Asked extends Omit<TargetPickProps, 'onPick'> {
  /** A part of a name, or the name of a new attribute. */
  readonly typed: string;
}

function useOffered({ from, proposed, fileType, typed }: Asked, isAsked: boolean): readonly Pick[] {
  const t = useText();
  const format = useFormat();
  const { data: definitions } = useDefinitions();
  // Those of the catalog are found by their names, whatever their order is there.
  const sorted = useMemo(() => {
    if (!isAsked) return [];
    const ofCatalog = isOfItems(fileType) ? format.byName(definitions?.attributes ?? []).map(({ name }) => name) : [];
    return [...targetsOf(fileType, undefined), ...ofCatalog];
  }, [isAsked, fileType, definitions, format]);
  if (!isAsked) return [];
  const known = [...new Set([...proposed, ...sorted])];
  const has = new Set(known.map(keyOf));
  const part = keyOf(typed);
  const found = known.filter((name) => keyOf(name).includes(part)).slice(0, MOST_OFFERED);
  const fresh = isOfItems(fileType)
    ? [from.trim(), typed.trim()].filter((name) => name !== '' && !has.has(keyOf(name)))
    : [];
  return [
    ...found.map((name) => ({
      id: `to ${name}`,
      label: name,
      ...(proposed.includes(name) ? { note: t('proposed') } : {}),
    })),
    ...[...new Set(fresh)].map((name) => ({ id: `to ${name}`, label: t('new', { name }), text: name })),
    { id: NOTHING, label: t('ignored') },
  ];
}

function isOfItems(fileType: TargetPickProps['fileType']): boolean {
  return fileType === 'ITEM_IMPORT' || fileType === 'BUNDLE_IMPORT';
}

/** Names are compared as the API does: without case and outer blanks. */
function keyOf(name: string): string {
  return name.trim().normalize('NFC').toLowerCase();
}
