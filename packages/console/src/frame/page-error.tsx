/** A page that could not be shown. */
import type { ErrorComponentProps } from '@tanstack/react-router';
import { ErrorPanel } from '../components/error-panel.js';

export function PageError({ error }: ErrorComponentProps) {
  return (
    <main className="content">
      <ErrorPanel error={error} onRetry={() => void loadAgain()} />
    </main>
  );
}

/** While there is no answer, a window that is loaded again would be empty. */
async function loadAgain(): Promise<void> {
  const answer = await fetch(location.href, { method: 'HEAD', cache: 'no-store' }).catch(() => undefined);
  if (answer?.ok === true) location.reload();
}
