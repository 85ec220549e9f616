/** A page: its heading, which is the title of the window and gets the focus when the page is opened. */
import { type ReactNode, useEffect, useRef } from 'react';

interface PageProps {
  readonly title: string;
  /** What is above the heading: where the page belongs. */
  readonly above?: ReactNode;
  readonly note?: ReactNode;
  readonly actions?: ReactNode;
  /** For tables that use the whole window. */
  readonly isWide?: boolean;
  readonly children: ReactNode;
}

/** The first page has no focus to lose. */
let isFirst = true;

/** Said by what was there before the first page, such as a login: it had the focus. */
export function pageFollows(): void {
  isFirst = false;
}

export function Page({ title, above, note, actions, isWide = false, children }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} – Longshore`;
  }, [title]);
  useEffect(() => {
    // Without this, the focus would stay on a link that is gone, and nobody would hear that the page is another one.
    if (!isFirst) heading.current?.focus();
    isFirst = false;
  }, []);
  return (
    <div className={isWide ? 'page wide' : 'page'}>
      {above === undefined ? null : <div className="page-above">{above}</div>}
      <div className="page-head">
        <div>
          <h1 ref={heading} tabIndex={-1}>
            {title}
          </h1>
          {note === undefined ? null : <p className="page-note">{note}</p>}
        </div>
        {actions === undefined ? null : <div className="actions">{actions}</div>}
      </div>
      {children}
    </div>
  );
}
