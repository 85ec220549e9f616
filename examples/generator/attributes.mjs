/** The attributes of the sample shop: every type, and most of the rules. */

export const BRANDS = [
  'Ampère & Fils',
  'Björn Verktyg',
  'Harbour & Lane',
  'Kestrel',
  'Łódź Narzędzia',
  'Metrica',
  'Nordwind',
  "O'Brien Tools",
  'Quantum Byte',
  'Solis',
  'Tamarack',
  'Voltara',
  'Weiß & Söhne',
  '山崎電機',
];
export const COLOURS = ['Anthracite', 'Black', 'Blue', 'Green', 'Grey', 'Orange', 'Red', 'Silver', 'White', 'Yellow'];
export const INTERFACES = ['NVMe', 'SATA', 'USB-A', 'USB-C', 'Thunderbolt', 'HDMI', 'DisplayPort', 'RJ45', 'Wi-Fi 6'];
export const MATERIALS = ['Steel', 'Stainless Steel', 'Brass', 'Aluminium', 'Nylon', 'Beech', 'Fibreglass'];
export const ENERGY_CLASSES = ['A', 'B', 'C', 'D', 'E', 'F', 'G'];
export const WARRANTIES = [12, 24, 36, 60, 120];
export const VOLTAGES = [3.6, 10.8, 12, 18, 36, 230];

export const IMAGE_HOST = 'https://images.example.com/';
export const TITLE_CHARACTERS = 120;

/** As POST /api-product/v1/product/attribute/bulk accepts them. */
export const attributes = [
  text('Item Number', { required: true, unique: true, maxLength: 40 }, { description: 'The key; mapped to the SKU' }),
  text('Title', { required: true, maxLength: TITLE_CHARACTERS }, { locales: names('Titel', 'Titre') }),
  text('Image', { startWith: IMAGE_HOST }),
  { name: 'Active', type: 'BOOLEAN', description: 'Switched off, an item stays a draft' },
  text('Description', {}, { textSubType: 'TEXT_AREA', locales: names('Beschreibung', 'Description') }),
  text('Details', {}, { textSubType: 'HTML' }),
  options('Brand', BRANDS, { locales: names('Marke', 'Marque') }),
  text('Manufacturer Part', { maxLength: 40 }),
  text(
    'GTIN',
    { unique: true, pattern: '^([0-9]{8}|[0-9]{12,14})$' },
    { description: 'Leading zeros count: it is a text' },
  ),
  {
    name: 'Price',
    type: 'DECIMAL',
    validation: { range: { min: 0.01, max: 99999.99 } },
    locales: names('Preis', 'Prix'),
  },
  { name: 'Weight', type: 'DECIMAL', description: 'In kilograms', validation: { range: { min: 0 } } },
  { name: 'Stock', type: 'INTEGER', validation: { range: { min: 0 } } },
  options('Warranty', WARRANTIES, { optionsType: 'INTEGER', description: 'In months' }),
  {
    name: 'Release Date',
    type: 'DATETIME',
    format: 'dd.MM.yyyy',
    validation: { range: { min: '1990-01-01', max: '2099-12-31' } },
  },
  { name: 'Price Valid Until', type: 'DATETIME', description: 'An instant, in ISO 8601' },
  options('Colour', COLOURS, { locales: names('Farbe', 'Couleur') }),
  options('Energy Class', ENERGY_CLASSES),
  { name: 'Capacity', type: 'INTEGER', description: 'In gigabytes', validation: { range: { min: 1 } } },
  options('Interface', INTERFACES),
  { name: 'Screen Size', type: 'DECIMAL', description: 'In inches', validation: { range: { min: 5, max: 120 } } },
  text('Resolution', { pattern: '^[0-9]{3,5}x[0-9]{3,5}$' }),
  { name: 'Power', type: 'INTEGER', description: 'In watts', validation: { range: { min: 1, max: 10000 } } },
  options('Voltage', VOLTAGES, { optionsType: 'DECIMAL' }),
  { name: 'Cordless', type: 'BOOLEAN' },
  options('Material', MATERIALS, { locales: names('Material', 'Matière') }),
  text('Thread', { pattern: '^M[0-9]{1,2}$' }),
  { name: 'Length', type: 'DECIMAL', description: 'In millimetres', validation: { range: { min: 0 } } },
  { name: 'Pack Size', type: 'INTEGER', validation: { range: { min: 1 } } },
  { name: 'Listing Number', type: 'SERIAL', serialStart: 100000, validation: { incrementBy: 1 } },
];

/** As POST /api-product/v1/product/attribute/mapping accepts them. */
export const mappings = [
  { name: 'Item Number', mapping: 'sku' },
  { name: 'Title', mapping: 'title' },
  { name: 'Image', mapping: 'image' },
  { name: 'Active', mapping: 'active' },
];

function text(name, validation, more = {}) {
  return { name, type: 'TEXT', ...more, validation };
}

function options(name, values, more = {}) {
  return { name, type: 'OPTIONS', ...more, options: values };
}

function names(german, french) {
  return [
    { locale: 'de-DE', name: german },
    { locale: 'fr-FR', name: french },
  ];
}
