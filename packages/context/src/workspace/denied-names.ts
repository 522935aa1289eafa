/**
 * Folders with secrets, denied with everything in them. `.git` can contain passwords in the URLs of remotes.
 */
const FOLDERS: ReadonlySet<string> = new Set(['.aws', '.azure', '.docker', '.git', '.gnupg', '.kube', '.ssh'])

const FILES: ReadonlySet<string> = new Set([
  '.git-credentials',
  '.htpasswd',
  '.netrc',
  '.npmrc',
  '.pgpass',
  '.pypirc',
  '.vault-token',
  '.yarnrc.yml',
  '_netrc',
])

const PATTERN =
  /^(?:\.env.*|id_(?:rsa|dsa|ecdsa|ed25519).*|.*\.(?:jks|key|keystore|p12|pem|pfx|ppk|tfstate))$/

/** Windows short names of `.git`, `.env` and `.ssh`, such as `GIT~1`. */
const SHORT_NAME = /^(?:git|env|ssh)[^.]*~\d/

/** Whether a segment of the path has a name that is used for secrets. */
export function isDenied(segments: readonly string[]): boolean {
  return segments.some((segment) => {
    const name = folded(segment)
    return FOLDERS.has(name) || FILES.has(name) || PATTERN.test(name) || SHORT_NAME.test(name)
  })
}

/**
 * Normalizes a name as the most lenient file system does: case, Unicode normalization, invisible characters
 * (HFS+), and dots and spaces at the end (Windows).
 */
function folded(name: string): string {
  return name
    .normalize('NFKC')
    .replace(/[\p{Cf}\p{Cc}\p{Mn}]/gu, '')
    .toLowerCase()
    .replace(/(?<![. ])[. ]+$/, '')
}
