/** A field for a value of an attribute, as its type is typed. */
import type { Attribute } from '@longshore/client';
import { type InputHTMLAttributes, useId, useMemo, useState } from 'react';
import { Suggestions } from '../../components/suggestions.js';
import { textsOf } from '../../texts/texts.js';
import { type Draft, isSame } from './drafts.js';
import type { Values } from './values.js';

/** Of more options those are suggested that contain what is typed. */
const MOST_LISTED = 500;
const DAY = /^\d{4}-\d{2}-\d{2}$/;

const useText = textsOf('value-field', {
  yes: { en: 'yes', de: 'ja' },
  no: { en: 'no', de: 'nein' },
  none: { en: 'no value', de: 'kein Wert' },
  cell: { en: '{name} of {sku}', de: '{name} von {sku}' },
});

interface ValueFieldProps {
  readonly sku: string;
  readonly attribute: Attribute;
  /** The value as it is written. */
  readonly value: unknown;
  readonly draft: Draft | undefined;
  readonly values: Values;
  /** Texts get a field of several lines. */
  readonly isRoomy?: boolean;
  readonly onChange: (draft: Draft | undefined) => void;
}

export function ValueField({ sku, attribute, value, draft, values, isRoomy = false, onChange }: ValueFieldProps) {
  const t = useText();
  const written = values.edit(attribute, value);
  const text = draft?.text ?? written;
  const change = (next: string) => {
    const before = draft === undefined ? value : draft.before;
    const parsed = values.parse(attribute, next);
    const isBack = next === values.edit(attribute, before) || (parsed !== undefined && isSame(parsed.value, before));
    const begun = { before: before ?? null, text: next };
    onChange(isBack && isSame(value, before) ? undefined : parsed === undefined ? begun : { ...begun, ...parsed });
  };
  const isWrong = draft !== undefined && draft.value === undefined;
  const props = {
    'aria-label': t('cell', { name: attribute.name, sku }),
    'data-column': attribute.name,
    className: isWrong ? 'cell wrong' : draft === undefined ? 'cell' : 'cell edited',
    value: text,
    ...(isWrong ? { 'aria-invalid': true } : {}),
    onChange: ({ target }: { readonly target: { readonly value: string } }) => change(target.value),
  };
  const { type, options } = attribute;
  if (type === 'BOOLEAN' || (type === 'OPTIONS' && options !== null && options.length <= MOST_LISTED)) {
    const listed = type === 'BOOLEAN' ? ['true', 'false'] : (options ?? []).map((one) => values.edit(attribute, one));
    const all = text === '' || listed.includes(text) ? listed : [text, ...listed];
    return (
      <select {...props}>
        <option value="">{t('none')}</option>
        {all.map((one) => (
          <option key={one} value={one}>
            {type === 'BOOLEAN' ? t(one === 'true' ? 'yes' : 'no') : one}
          </option>
        ))}
      </select>
    );
  }
  if (type === 'OPTIONS' && options !== null)
    return <OptionField props={props} options={options} attribute={attribute} values={values} />;
  if (type === 'DATETIME' && (text === '' || DAY.test(text))) return <input type="date" {...props} />;
  // A field of one line would take the line ends out of a text.
  if (type === 'TEXT' && (isRoomy || /[\r\n]/.test(text))) {
    return <textarea rows={isRoomy ? Math.min(12, 1 + Math.ceil(text.length / 60)) : 1} dir="auto" {...props} />;
  }
  return <input type="text" dir="auto" spellCheck={false} {...props} />;
}

interface OptionFieldProps {
  readonly props: { readonly value: string } & InputHTMLAttributes<HTMLInputElement>;
  readonly attribute: Attribute;
  readonly options: readonly unknown[];
  readonly values: Values;
}

/** One of very many options. */
function OptionField({ props, attribute, options, values }: OptionFieldProps) {
  const id = useId();
  // A table has many such fields, and one of them is typed in.
  const [isTyped, setTyped] = useState(false);
  const texts = useMemo(
    () => (isTyped ? options.map((one) => values.edit(attribute, one)) : []),
    [isTyped, options, values, attribute],
  );
  return (
    <>
      <input
        type="text"
        dir="auto"
        spellCheck={false}
        autoComplete="off"
        {...props}
        list={id}
        onFocus={() => setTyped(true)}
        onBlur={() => setTyped(false)}
      />
      <Suggestions id={id} values={texts} text={props.value} />
    </>
  );
}

/** Whether a value can be typed: numbers that are given out are not, and of a text that is cut the rest is not here. */
export function isEditable(attribute: Attribute, isCut: boolean): boolean {
  return attribute.type !== 'SERIAL' && !isCut;
}
