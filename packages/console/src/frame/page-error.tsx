/** A page that could not be shown. */
import type { ErrorComponentProps } from '@tanstack/react-router';
import { ErrorPanel } from '../components/error-panel.js';

export function PageError({ error }: ErrorComponentProps) {
  return (
    <main className="content">
      <ErrorPanel error={error} onRetry={() => location.reload()} />
    </main>
  );
}
