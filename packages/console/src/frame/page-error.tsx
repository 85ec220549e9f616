/** A page that could not be shown. */
import type { ErrorComponentProps } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { ErrorPanel } from '../components/error-panel.js';
import { loadAnew, NewerVersion, renew } from '../newer-version.js';

export function PageError({ error }: ErrorComponentProps) {
  const isOutdated = error instanceof NewerVersion;
  const [isRenewing, setRenewing] = useState(isOutdated);
  // Who opens another page edits nothing on it yet.
  useEffect(() => {
    if (isOutdated) void renew().then(setRenewing);
  }, [isOutdated]);
  if (isRenewing) return null;
  return (
    <main className="content">
      <ErrorPanel error={error} onRetry={() => void loadAnew()} />
    </main>
  );
}
