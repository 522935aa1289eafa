import { type ChildProcess, spawn } from 'node:child_process'

export interface RunOptions {
  readonly cwd: string
  /** The complete environment of the process. */
  readonly env: Readonly<Record<string, string>>
  readonly timeoutMs: number
  /** The limit for standard output and standard error together. */
  readonly maxBytes: number
  readonly abortSignal: AbortSignal
}

export interface CommandOutput {
  /** Standard output and standard error, in the order of arrival. */
  readonly output: Buffer
  readonly exitCode: number | null
  /** Why the process was stopped. */
  readonly stopped?: 'time' | 'output'
}

/**
 * Runs a program without a shell, in its own process group, so that its child processes end with it. Uses
 * Node's `spawn`, because libraries on top of it add folders to `PATH`, merge the environment, or start
 * `cmd.exe` on Windows.
 */
export function runCommand(
  file: string,
  args: readonly string[],
  { cwd, env, timeoutMs, maxBytes, abortSignal }: RunOptions,
): Promise<CommandOutput> {
  abortSignal.throwIfAborted()
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, {
      cwd,
      env,
      shell: false,
      detached: process.platform !== 'win32',
      windowsHide: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const chunks: Buffer[] = []
    let left = maxBytes
    let stopped: CommandOutput['stopped']

    const settle = (): void => {
      clearTimeout(timer)
      abortSignal.removeEventListener('abort', onAbort)
      killGroup(child)
      // A process that left the group may keep the pipes open.
      child.stdout.destroy()
      child.stderr.destroy()
    }
    const finish = (): void => {
      settle()
      const output = Buffer.concat(chunks)
      resolve({ output, exitCode: child.exitCode, ...(stopped && { stopped }) })
    }
    const stop = (why: CommandOutput['stopped']): void => {
      stopped ??= why
      finish()
    }
    const onAbort = (): void => {
      settle()
      reject(abortSignal.reason)
    }
    const onData = (data: Buffer): void => {
      chunks.push(data.subarray(0, left))
      left -= data.length
      if (left < 0) stop('output')
    }

    const timer = setTimeout(() => stop('time'), timeoutMs)
    abortSignal.addEventListener('abort', onAbort, { once: true })
    child.stdout.on('data', onData)
    child.stderr.on('data', onData)
    child.once('error', (error) => {
      settle()
      reject(error)
    })
    // Stops the remaining child processes, which closes the pipes.
    child.once('exit', () => killGroup(child))
    child.once('close', finish)
  })
}

function killGroup(child: ChildProcess): void {
  const { pid } = child
  if (pid === undefined) return
  try {
    if (process.platform === 'win32') child.kill('SIGKILL')
    else process.kill(-pid, 'SIGKILL')
  } catch {
    // The group has no processes left.
  }
}
