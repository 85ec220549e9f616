/** What several pages of imports say. */
import { textsOf } from '../../texts/texts.js';

export const useImportText = textsOf('imports', {
  title: { en: 'Imports', de: 'Importe' },
  back: { en: 'All imports', de: 'Alle Importe' },
  importFile: { en: 'Import a file', de: 'Datei importieren' },
  rows: { en: '{count, plural, one {# row} other {# rows}}', de: '{count, plural, one {# Zeile} other {# Zeilen}}' },
  created: { en: 'Created', de: 'Neu' },
  updated: { en: 'Updated', de: 'Geändert' },
  unchanged: { en: 'Unchanged', de: 'Unverändert' },
  failed: { en: 'Failed', de: 'Fehlgeschlagen' },
  none: { en: 'none', de: 'keine' },
});
