/** Chooses an attribute by a part of its name. */
import type { Attribute } from '@longshore/client';
import { useMemo, useState } from 'react';
import { useFormat } from '../../texts/format.js';
import { PickInput } from './pick-input.js';

const MOST_OFFERED = 40;

interface AttributePickProps {
  readonly label: string;
  readonly attributes: readonly Attribute[];
  readonly chosen: string | undefined;
  readonly onChoose: (name: string) => void;
}

export function AttributePick({ label, attributes, chosen, onChoose }: AttributePickProps) {
  const format = useFormat();
  const [text, setText] = useState(chosen ?? '');
  const part = text === chosen ? '' : text.toLowerCase();
  const sorted = useMemo(() => format.byName(attributes), [format, attributes]);
  const offered = sorted.filter(({ name }) => name.toLowerCase().includes(part)).slice(0, MOST_OFFERED);
  return (
    <PickInput
      label={label}
      text={text}
      offered={offered.map(({ name }) => ({ id: name, label: name }))}
      onText={setText}
      onLeave={() => setText(chosen ?? '')}
      onPick={(name) => {
        setText(name);
        onChoose(name);
      }}
    />
  );
}
