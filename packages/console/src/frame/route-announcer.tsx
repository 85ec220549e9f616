/** Says aloud which page was opened: a page that changes without being loaded is silent otherwise. */
import { useRouterState } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';

export function RouteAnnouncer() {
  const path = useRouterState({ select: ({ resolvedLocation }) => resolvedLocation?.pathname });
  const before = useRef(path);
  const [title, setTitle] = useState('');
  useEffect(() => {
    if (before.current === path) return;
    before.current = path;
    // The page has written its title by then.
    const frame = requestAnimationFrame(() => setTitle(document.title));
    return () => cancelAnimationFrame(frame);
  }, [path]);
  return (
    <p className="unseen" aria-live="polite">
      {title}
    </p>
  );
}
