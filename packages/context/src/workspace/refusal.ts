/** Why a path in the workspace was not read. */
export type RefusalReason =
  /** The path is empty, too long, or contains a NUL character. */
  | 'invalid-path'
  /** The path is absolute, contains `..`, or leads out of the root through a link. */
  | 'outside'
  /** The name is used for secrets, such as `.env`, or the path is not allowed. */
  | 'denied'
  /** A `.gitignore` excludes it. */
  | 'ignored'
  | 'missing'
  /** A FIFO, a socket or a device. */
  | 'special-file'
  /** A folder where a file was expected. */
  | 'folder'
  /** A file where a folder was expected. */
  | 'file'
  | 'binary'
  /** The system does not permit reading, or reading fails. */
  | 'unreadable'
  /** It was replaced between the check and the read. */
  | 'changed'

/** A path that was not read, and the reason. */
export interface Refusal {
  readonly refused: RefusalReason
}

const SENTENCES: Readonly<Record<RefusalReason, string>> = {
  'invalid-path': 'This is no valid path.',
  outside: 'It is outside the folder that may be read. Use a path relative to that folder, without "..".',
  denied: 'It may not be read.',
  ignored: 'It may not be read: a .gitignore excludes it.',
  missing: 'There is no such file or folder.',
  'special-file': 'It may not be read: it is no regular file.',
  folder: 'It is a folder.',
  file: 'It is a file, not a folder.',
  binary: 'It is not shown: it contains no text.',
  unreadable: 'It cannot be read.',
  changed: 'It is not shown: it was replaced while it was read.',
}

/** The sentence about a refusal for the model. */
export function refusalSentence(reason: RefusalReason): string {
  return SENTENCES[reason]
}

export function isRefusal(result: object): result is Refusal {
  return 'refused' in result
}

/** Maps an error of the file system. */
export function refusalOf(error: unknown): Refusal {
  const { code } = error as { code?: unknown }
  switch (code) {
    case 'ENOENT':
    case 'ENOTDIR':
    case 'ENAMETOOLONG':
      return { refused: 'missing' }
    // A symbolic link that did not exist when the path was checked.
    case 'ELOOP':
    case 'EMLINK':
      return { refused: 'changed' }
    default:
      return { refused: 'unreadable' }
  }
}
