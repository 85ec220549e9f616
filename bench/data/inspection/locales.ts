/** How the files of shops are written in ten countries. */
import type { TextEncoding } from '../../../src/domain/formats/text/encoding-names.js';

export interface ShopLocale {
  readonly name: string;
  readonly encodings: readonly TextEncoding[];
  readonly delimiters: readonly string[];
  readonly decimal: '.' | ',';
  readonly thousands: readonly string[];
  readonly dates: readonly string[];
  readonly yesNo: readonly (readonly [string, string])[];
  readonly currency: readonly string[];
  readonly units: readonly string[];
  /** SKU, name, price, stock, available, from, category, colours, width, GTIN. */
  readonly header: readonly string[];
  readonly words: readonly string[];
  readonly colours: readonly string[];
  readonly categories: readonly (readonly string[])[];
  readonly title: string;
  readonly total: string;
}

const WEST: readonly TextEncoding[] = ['utf-8', 'windows-1252', 'utf-16le', 'iso-8859-15'];
const MIDDLE: readonly TextEncoding[] = ['utf-8', 'windows-1250', 'iso-8859-2', 'utf-16be'];
const words = (text: string) => text.split(' ');
const tree = (text: string) => text.split('; ').map((path) => path.split('>'));

export const LOCALES: readonly ShopLocale[] = [
  {
    name: 'de',
    encodings: WEST,
    delimiters: [';', '\t', ';', '|'],
    decimal: ',',
    thousands: ['.', ' ', ''],
    dates: ['dd.MM.yyyy', 'yyyy-MM-dd', 'd.M.yyyy'],
    yesNo: [
      ['ja', 'nein'],
      ['J', 'N'],
      ['wahr', 'falsch'],
    ],
    currency: ['€', 'EUR', ''],
    units: ['cm', 'kg', 'mm'],
    header: words('Artikelnummer Bezeichnung Preis Bestand Lieferbar Verfügbar_ab Kategorie Farben Breite EAN'),
    words: words('Fahrräder Größe Schlüssel Türgriff Kühlschrank Süßigkeiten Bürostuhl Regal Lampe Öl für Mädchen'),
    colours: words('rot grün blau weiß schwarz gelb'),
    categories: tree(
      'Fahrräder>E-Bikes; Fahrräder>Rennräder; Zubehör>Helme>Kinder; Zubehör>Schlösser; Möbel>Stühle; Möbel>Tische',
    ),
    title: 'Artikelexport vom 24.11.2026',
    total: 'Summe',
  },
  {
    name: 'fr',
    encodings: WEST,
    delimiters: [';', '\t', ','],
    decimal: ',',
    thousands: [' ', '\u00a0', ''],
    dates: ['dd/MM/yyyy', 'yyyy-MM-dd'],
    yesNo: [
      ['oui', 'non'],
      ['vrai', 'faux'],
    ],
    currency: ['€', ''],
    units: ['cm', 'kg', 'l'],
    header: words('Référence Désignation Prix Stock Disponible Date Catégorie Couleurs Largeur EAN'),
    words: words('Téléphone Forêt Français Vélo Œuvre Élégant Crème Fenêtre Lampe Bureau Étagère à'),
    colours: words('rouge vert bleu blanc noir doré'),
    categories: tree(
      'Vélos>Électriques; Vélos>Course; Accessoires>Casques>Enfants; Accessoires>Sécurité; Meubles>Chaises',
    ),
    title: 'Export du catalogue',
    total: 'Total',
  },
  {
    name: 'en-US',
    encodings: ['utf-8', 'utf-8', 'windows-1252', 'utf-16le'],
    delimiters: [',', '\t', ',', '|'],
    decimal: '.',
    thousands: [',', ''],
    dates: ['MM/dd/yyyy', 'yyyy-MM-dd', 'M/d/yyyy'],
    yesNo: [
      ['yes', 'no'],
      ['true', 'false'],
      ['Y', 'N'],
    ],
    currency: ['$', 'USD', ''],
    units: ['in', 'lbs', 'oz'],
    header: words('SKU Name Price Stock Available Release_Date Category Colors Width GTIN'),
    words: words('Café Naïve Bicycle Lamp Chair Desk Résumé Jalapeño Wrench Bolt Crème Table'),
    colours: words('red green blue white black yellow'),
    categories: tree('Bikes>Electric; Bikes>Road; Accessories>Helmets>Kids; Accessories>Locks; Furniture>Chairs'),
    title: 'Product export',
    total: 'Grand total',
  },
  {
    name: 'en-GB',
    encodings: ['utf-8', 'windows-1252', 'iso-8859-15'],
    delimiters: [',', '\t', ';'],
    decimal: '.',
    thousands: [',', ''],
    dates: ['dd/MM/yyyy', 'dd-MM-yyyy'],
    yesNo: [
      ['yes', 'no'],
      ['Yes', 'No'],
    ],
    currency: ['£', 'GBP', ''],
    units: ['cm', 'kg', 'g'],
    header: words('Product_code Title Price Quantity_in_stock Active From Category Colours Width Barcode'),
    words: words('Café Bicycle Lamp Chair Desk Crème Wrench Bolt Table Fiancée Kettle Rug'),
    colours: words('red green blue white grey yellow'),
    categories: tree('Bikes>Electric; Bikes>Road; Accessories>Helmets>Kids; Accessories>Locks; Furniture>Chairs'),
    title: 'Stock list and prices of the catalogue',
    total: 'Total',
  },
  {
    name: 'pl',
    encodings: MIDDLE,
    delimiters: [';', '\t'],
    decimal: ',',
    thousands: [' ', ''],
    dates: ['dd.MM.yyyy', 'yyyy-MM-dd'],
    yesNo: [
      ['tak', 'nie'],
      ['prawda', 'fałsz'],
    ],
    currency: ['zł', 'PLN', ''],
    units: ['cm', 'kg', 'szt'],
    header: words('Symbol Nazwa Cena Stan Dostępny Data Kategoria Kolory Szerokość EAN'),
    words: words('Książka żółty Rower świeca trójkąt łóżko część źródło ćwiczenie Krzesło Półka ręcznik'),
    colours: words('czerwony zielony niebieski biały żółty czarny'),
    categories: tree('Rowery>Elektryczne; Rowery>Szosowe; Akcesoria>Kaski>Dziecięce; Akcesoria>Zamki; Meble>Krzesła'),
    title: 'Lista towarów',
    total: 'Razem',
  },
  {
    name: 'cs',
    encodings: MIDDLE,
    delimiters: [';', '\t'],
    decimal: ',',
    thousands: [' ', ''],
    dates: ['d.M.yyyy', 'dd.MM.yyyy'],
    yesNo: [
      ['ano', 'ne'],
      ['Ano', 'Ne'],
    ],
    currency: ['Kč', 'CZK', ''],
    units: ['cm', 'kg', 'g'],
    header: words('Kód Název Cena Sklad Dostupné Datum Kategorie Barvy Šířka EAN'),
    words: words('Příliš žluťoučký kůň modrý šedá kožená Židle Stůl větší Čepice lampa řemen'),
    colours: words('červená zelená modrá bílá žlutá černá'),
    categories: tree('Kola>Elektrická; Kola>Silniční; Příslušenství>Přilby>Dětské; Příslušenství>Zámky; Nábytek>Židle'),
    title: 'Přehled zboží',
    total: 'Celkem',
  },
  {
    name: 'es',
    encodings: WEST,
    delimiters: [';', ','],
    decimal: ',',
    thousands: ['.', ''],
    dates: ['dd/MM/yyyy', 'dd-MM-yyyy'],
    yesNo: [
      ['sí', 'no'],
      ['verdadero', 'falso'],
    ],
    currency: ['€', 'EUR', ''],
    units: ['cm', 'kg', 'ml'],
    header: words('Referencia Nombre Precio Existencias Disponible Fecha Categoría Colores Ancho EAN'),
    words: words('niño bicicleta montaña camión azúcar lámpara pequeño jardín sillón baño para música'),
    colours: words('rojo verde azul blanco marrón amarillo'),
    categories: tree(
      'Bicicletas>Eléctricas; Bicicletas>Montaña; Accesorios>Cascos>Niños; Accesorios>Candados; Muebles>Sillas',
    ),
    title: 'Exportación del catálogo',
    total: 'Total',
  },
  {
    name: 'it',
    encodings: WEST,
    delimiters: [';', '\t'],
    decimal: ',',
    thousands: ['.', ''],
    dates: ['dd/MM/yyyy', 'dd.MM.yyyy'],
    yesNo: [
      ['sì', 'no'],
      ['vero', 'falso'],
    ],
    currency: ['€', ''],
    units: ['cm', 'kg', 'l'],
    header: words('Codice Nome Prezzo Giacenza Disponibile Data Categoria Colori Larghezza EAN'),
    words: words('Caffè bicicletta qualità sedia tavolo città lampada più tè libertà armadio così'),
    colours: words('rosso verde blu bianco nero giallo'),
    categories: tree(
      'Biciclette>Elettriche; Biciclette>Corsa; Accessori>Caschi>Bambini; Accessori>Lucchetti; Mobili>Sedie',
    ),
    title: 'Esportazione del catalogo',
    total: 'Totale',
  },
  {
    name: 'ja',
    encodings: ['utf-8', 'shift_jis', 'euc-jp', 'utf-16le'],
    delimiters: [',', '\t'],
    decimal: '.',
    thousands: [',', ''],
    dates: ['yyyy/MM/dd', 'yyyy-MM-dd'],
    yesNo: [
      ['はい', 'いいえ'],
      ['有', '無'],
    ],
    currency: ['円', 'JPY', ''],
    units: ['cm', 'kg', 'mm'],
    header: words('商品番号 商品名 価格 在庫 販売可 日付 カテゴリ 色 幅 JAN'),
    words: words('自転車 電動アシスト 机 椅子 ランプ 冷蔵庫 テスト 商品 新しい 大きい サイズ 家具'),
    colours: words('赤 緑 青 白 黒 黄色'),
    categories: tree('自転車>電動; 自転車>ロード; 用品>ヘルメット>子供; 用品>鍵; 家具>椅子'),
    title: '商品一覧',
    total: '合計',
  },
  {
    name: 'ru',
    encodings: ['utf-8', 'windows-1251', 'koi8-r'],
    delimiters: [';', '\t'],
    decimal: ',',
    thousands: [' ', ''],
    dates: ['dd.MM.yyyy'],
    yesNo: [
      ['да', 'нет'],
      ['Да', 'Нет'],
    ],
    currency: ['', 'RUB'],
    units: ['cm', 'kg', 'мм'],
    header: words('Артикул Название Цена Остаток Доступно Дата Категория Цвета Ширина EAN'),
    words: words('Велосипед красный размер Книга синий стол стул лампа холодильник для новый ключ'),
    colours: words('красный зелёный синий белый чёрный жёлтый'),
    categories: tree(
      'Велосипеды>Электро; Велосипеды>Шоссейные; Аксессуары>Шлемы>Детские; Аксессуары>Замки; Мебель>Стулья',
    ),
    title: 'Каталог товаров',
    total: 'Итого',
  },
];
