/** The form of a feed that takes files. */
import { SOURCE_KINDS } from './connection-values.js';
import { bodyOf, type FeedValues, newValues, sourceOf, valuesOf } from './feed-values.js';
import type { FormFieldsProps, FormKind } from './form-kind.js';
import { ImportFields } from './import-fields.js';
import { TakingFields } from './taking-fields.js';

function SourceFields(props: FormFieldsProps<FeedValues>) {
  return (
    <>
      <TakingFields {...props} />
      <ImportFields {...props} />
    </>
  );
}

export const SOURCE: FormKind<FeedValues> = {
  direction: 'SOURCE',
  kinds: SOURCE_KINDS,
  first: newValues,
  valuesOf,
  bodyOf,
  wanted: (values) => ({ pick: sourceOf(values).pick }),
  Fields: SourceFields,
};
