/** Says that a part of the page cannot be opened until its newer version is loaded, also over a dialog. */
import { useSyncExternalStore } from 'react';
import { createPortal } from 'react-dom';
import { ErrorPanel } from '../components/error-panel.js';
import { loadAnew, newerVersion, onNewerVersion } from '../newer-version.js';

export function NewerNote() {
  const newer = useSyncExternalStore(onNewerVersion, newerVersion);
  if (newer === undefined) return null;
  // Beside the page, which a dialog takes out of reach.
  return createPortal(
    <aside className="newer-note" data-react-aria-top-layer="true">
      <ErrorPanel error={newer} onRetry={() => void loadAnew()} />
    </aside>,
    document.body,
  );
}
