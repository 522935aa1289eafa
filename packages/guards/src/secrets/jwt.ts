import type { PatternRecognizer } from '../scanner/recognizer.ts'

/** JSON Web Tokens in compact form (RFC 7519, RFC 7516): two base64url objects, followed by the other parts. */
export const jwt: PatternRecognizer[] = [
  {
    type: 'jwt',
    pattern: /\bey[A-Za-z0-9_-]{15,1000}\.ey[A-Za-z0-9_-]{8}/,
    rest: { while: /[\w./+=-]/, maxLength: 16_384 },
    score: (header) => (/x{6}/i.test(header) ? 0 : 0.95),
  },
  {
    // Encoded in base64 a second time.
    type: 'jwt',
    id: 'jwt-base64',
    pattern:
      /\bZXlK(?:aGJHY2|aGNIVW|aGNIWW|aGRXUW|aE5qUX|aGJXUW|amRI|amNtbDB|bGNHc|bGJtTW|cmFXUW|cmlk|MGVYQ|MWNtZ|cGMz|NmFYQW)[A-Za-z0-9+/=_-]{20}/,
    rest: { while: /[\w/+=-]/, maxLength: 32_768 },
  },
]
