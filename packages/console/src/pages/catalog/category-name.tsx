/** A field for the name of a category that is created, with its button. */
import { Button } from '../../components/button.js';
import { ErrorPanel } from '../../components/error-panel.js';
import { TextInput } from '../../components/text-input.js';
import { useAttempt } from '../../components/use-attempt.js';
import { useTyped } from '../../typed/use-typed.js';

interface CategoryNameProps {
  readonly label: string;
  readonly help?: string;
  readonly action: string;
  /** What is typed is kept under this name. */
  readonly typedAs: string;
  readonly onCreate: (name: string) => Promise<unknown>;
}

export function CategoryName({ label, help, action, typedAs, onCreate }: CategoryNameProps) {
  const typed = useTyped(typedAs, { name: '' });
  const { name } = typed.values;
  const { attempt, error, isBusy } = useAttempt();
  return (
    <form
      className="correct-all"
      onSubmit={(event) => {
        event.preventDefault();
        void attempt(async () => {
          await onCreate(name);
          typed.restart();
        });
      }}
    >
      <TextInput label={label} help={help} value={name} onChange={(next) => typed.set({ name: next })} />
      <Button type="submit" isPending={isBusy} isDisabled={name.trim() === ''}>
        {action}
      </Button>
      {error === undefined ? null : <ErrorPanel error={error} />}
    </form>
  );
}
