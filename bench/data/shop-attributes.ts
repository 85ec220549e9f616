/** The twelve attributes of the shop that the benchmarks fill: texts, decimals, integers, a boolean, options, a date. */

export const BRANDS = [
  ...['Ampère & Fils', 'Björn Verktyg', 'Harbour & Lane', 'Kestrel', 'Metrica', 'Nordwind', "O'Brien Tools"],
  ...['Quantum Byte', 'Solis', 'Tamarack', 'Voltara', 'Weiß & Söhne'],
];
export const COLOURS = ['Anthracite', 'Black', 'Blue', 'Green', 'Grey', 'Orange', 'Red', 'Silver', 'White', 'Yellow'];

/** As POST /api-product/v1/product/attribute/bulk takes them. Each has a rule of its type to be held to. */
export const ATTRIBUTES = [
  { name: 'Title', type: 'TEXT', validation: { required: true, maxLength: 120 } },
  { name: 'Description', type: 'TEXT', textSubType: 'TEXT_AREA', validation: { maxLength: 2000 } },
  { name: 'Brand', type: 'OPTIONS', options: BRANDS },
  { name: 'GTIN', type: 'TEXT', validation: { maxLength: 14 } },
  { name: 'Part Number', type: 'TEXT', validation: { maxLength: 40 } },
  { name: 'Price', type: 'DECIMAL', validation: { range: { min: 0.01, max: 99999.99 } } },
  { name: 'Weight', type: 'DECIMAL', validation: { range: { min: 0 } } },
  { name: 'Stock', type: 'INTEGER', validation: { range: { min: 0 } } },
  { name: 'Warranty', type: 'INTEGER', validation: { range: { min: 0, max: 120 } } },
  { name: 'Fragile', type: 'BOOLEAN' },
  { name: 'Colour', type: 'OPTIONS', options: COLOURS },
  { name: 'Released', type: 'DATETIME', validation: { range: { min: '1990-01-01', max: '2099-12-31' } } },
] as const;

export const ROOT_CATEGORY = 'Bench';
/** Leaves of `ROOT_CATEGORY`, whose attributes they inherit. */
export const CATEGORIES = Array.from({ length: 20 }, (_, index) => `Group ${String(index + 1).padStart(2, '0')}`);
