/** Whose something is, as stores are asked for it. */
export function ownerOf({ resourceId }: { resourceId?: string | undefined }): { resourceId?: string } {
  return resourceId === undefined ? {} : { resourceId }
}
