import { realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { checkFile, readChecked } from '../workspace/opened-file.ts'
import { isRefusal } from '../workspace/refusal.ts'

/** Longer than the longest branch name. */
const MAX_HEAD_BYTES = 4_096

/**
 * The current branch, read from `.git/HEAD` without starting a process; the commit if no branch is checked
 * out. `undefined` without a repository, and in worktrees, whose `HEAD` is outside the folder.
 */
export async function gitBranch(root: string): Promise<string | undefined> {
  const folder = await realpath(join(root, '.git')).catch(() => undefined)
  if (folder === undefined || folder !== join(await realpath(root), '.git')) return undefined
  const file = await checkFile(join(folder, 'HEAD'))
  if (isRefusal(file)) return undefined
  const content = await readChecked(file, MAX_HEAD_BYTES)
  if (isRefusal(content)) return undefined
  const head = content.bytes.toString().trim()
  const [, branch] = /^ref: refs\/heads\/(.+)$/.exec(head) ?? []
  if (branch !== undefined) return branch
  return /^[0-9a-f]{40,64}$/.test(head) ? `none, at commit ${head.slice(0, 12)}` : undefined
}
