/** Strings that, repeated, make backtracking patterns quadratic or worse: many starts of a match, and no end. */
export const HOSTILE_PIECES: readonly string[] = [
  ...['a', 'A', '1', '.', '-', 'é', 'a.', 'a@', 'a@a@', 'a@a.', '1 a ', '1 ', '1-', '1.', '12/', '+1 '],
  ...['12 34 56 78 ', '01 23 45 67 89 ', '(030) 12-', '3456781234 ', '0x1F.', '192.168.1.'],
  ...['(', '((1', '[', '{', '::', 'a:', '00:', '0x', 'GB29', 'bc1q', 'http://a:', 'né le '],
  ...['key=', 'token: ', 'password="', '--token ', 'Bearer ', '-u a:', 'x=', 'discord ', 'data:\n a: '],
  ...['-----BEGIN PRIVATE KEY-----\n', 'eyJhbGciOiJIUzI1NiJ9.', 'AKIA', 'sk-ant-api03-', 'ops_eyJ'],
]

/** Repeats a string up to a length. */
export function repeated(piece: string, length: number): string {
  return piece.repeat(Math.ceil(length / piece.length)).slice(0, length)
}
