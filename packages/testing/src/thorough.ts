/** Whether randomized tests run at full length: `MILLRACE_THOROUGH=1`. */
export const isThorough: boolean = globalThis.process?.env.MILLRACE_THOROUGH === '1'

/** How many processes are killed, if that was asked for: `MILLRACE_KILLS`. */
export const askedKills: number | undefined = Number(globalThis.process?.env.MILLRACE_KILLS) || undefined
