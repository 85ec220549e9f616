/** Begins: the language, the scheme, and the page of the address. */
import '@fontsource-variable/inter/wght.css';
import './styles/tokens.css';
import './styles/base.css';
import './styles/frame.css';
import './styles/controls.css';
import './styles/content.css';
import './styles/imports.css';
import './styles/catalog.css';
import './styles/owner.css';
import './styles/profiles.css';
import './styles/feeds.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app.js';
import { showScheme } from './scheme.js';
import { showFirstLanguage } from './texts/language.js';

function look(): void {
  showScheme();
  showFirstLanguage();
}

look();
// What is chosen in one window is shown in all of them.
addEventListener('storage', look);
const root = document.getElementById('root');
if (root !== null)
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  );
