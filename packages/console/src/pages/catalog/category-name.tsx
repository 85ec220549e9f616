/** A field for the name of a category that is created, with its button: first it is said what would be written. */
import { useState } from 'react';
import { Button } from '../../components/button.js';
import { later, useLater } from '../../components/later.js';
import { TextInput } from '../../components/text-input.js';
import { useTyped } from '../../typed/use-typed.js';
import type { CategoryChange } from './category-change.js';
import type { Done } from './category-done.js';

const changing = later(() => import('./category-change-dialog.js'));

interface CategoryNameProps {
  readonly label: string;
  readonly help?: string;
  readonly action: string;
  /** What is typed is kept under this name. */
  readonly typedAs: string;
  readonly type: 'PRIMARY' | 'ALTERNATE';
  /** The node id of what it is created below; undefined: at the top. */
  readonly parent?: number;
  readonly onDone: (done: Done, jobId: string | undefined) => Promise<void>;
}

export function CategoryName({ label, help, action, typedAs, type, parent, onDone }: CategoryNameProps) {
  const typed = useTyped(typedAs, { name: '' });
  const { name } = typed.values;
  const [change, setChange] = useState<CategoryChange>();
  const dialog = useLater(changing);
  return (
    <>
      <form
        className="correct-all"
        onSubmit={(event) => {
          event.preventDefault();
          if (name.trim() !== '') void changing.load().then(() => setChange({ what: 'create', name, parent, type }));
        }}
      >
        <TextInput label={label} help={help} value={name} onChange={(next) => typed.set({ name: next })} />
        <Button type="submit" isDisabled={name.trim() === ''}>
          {action}
        </Button>
      </form>
      {change === undefined || dialog === undefined ? null : (
        <dialog.CategoryChangeDialog
          change={change}
          onClose={() => setChange(undefined)}
          onDone={async (done, jobId) => {
            await onDone(done, jobId);
            typed.restart();
          }}
        />
      )}
    </>
  );
}
