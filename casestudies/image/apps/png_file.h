/* PNG files, read and written through libpng. */
#ifndef PNG_FILE_H
#define PNG_FILE_H

/*
 * Pixels are four bytes each, red, green, blue and alpha, row by row from the top.
 * 0 is success; what fails is said on stderr.  What was read is the caller's to free.
 */
int png_file_read(const char *path, unsigned *width, unsigned *height, unsigned char **pixels);
int png_file_write(const char *path, unsigned width, unsigned height,
                   const unsigned char *pixels);

#endif
