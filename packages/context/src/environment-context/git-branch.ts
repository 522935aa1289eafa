import { realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { checkFile, readChecked } from '../workspace/opened-file.ts'
import { isRefusal } from '../workspace/refusal.ts'

/** More than a branch name of the longest kind takes. */
const LARGEST_HEAD = 4_096

/**
 * The branch that is checked out, by `.git/HEAD` and without a process; the commit if there is no branch. `undefined` where
 * there is no repository, and in worktrees, whose `HEAD` is outside the folder.
 */
export async function gitBranch(root: string): Promise<string | undefined> {
  const folder = await realpath(join(root, '.git')).catch(() => undefined)
  if (folder === undefined || folder !== join(await realpath(root), '.git')) return undefined
  const file = await checkFile(join(folder, 'HEAD'))
  if (isRefusal(file)) return undefined
  const content = await readChecked(file, LARGEST_HEAD)
  if (isRefusal(content)) return undefined
  const head = content.bytes.toString().trim()
  const [, branch] = /^ref: refs\/heads\/(.+)$/.exec(head) ?? []
  if (branch !== undefined) return branch
  return /^[0-9a-f]{40,64}$/.test(head) ? `none, at commit ${head.slice(0, 12)}` : undefined
}
