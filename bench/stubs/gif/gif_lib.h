/* Where giflib is missing: programs build, and no picture can be written. */
#ifndef GIF_LIB_H
#define GIF_LIB_H
#include <stdbool.h>
#include <stddef.h>

#define GIF_OK 1
#define DISPOSE_DO_NOT 1
#define NO_TRANSPARENT_COLOR -1
#define APPLICATION_EXT_FUNC_CODE 0xff
#define GRAPHICS_EXT_FUNC_CODE 0xf9

typedef unsigned char GifByteType;
typedef struct { GifByteType Red, Green, Blue; } GifColorType;
typedef struct { int SColorMap; } GifFileType;
typedef struct { int ColorCount; } ColorMapObject;
typedef struct { int DisposalMode; bool UserInputFlag; int DelayTime, TransparentColor; }
    GraphicsControlBlock;

#define EGifOpenFileName(path, existing, error) ((GifFileType *)NULL)
#define GifErrorString(error) "no giflib"
#define EGifSetGifVersion(gif, new_one)
#define GifMakeMapObject(count, colours) ((void)(colours), (ColorMapObject *)NULL)
#define GifFreeMapObject(map)
#define EGifPutScreenDesc(gif, width, height, resolution, background, map) 0
#define EGifPutExtensionLeader(gif, code) 0
#define EGifPutExtensionBlock(gif, size, bytes) ((void)(bytes), 0)
#define EGifPutExtensionTrailer(gif) 0
#define EGifPutExtension(gif, code, size, bytes) ((void)(bytes), 0)
#define EGifGCBToExtension(control, bytes) ((void)(control))
#define EGifPutImageDesc(gif, left, top, width, height, interlaced, map) 0
#define EGifPutLine(gif, line, width) ((void)(line), 0)
#define EGifCloseFile(gif, error) ((void)(error), GIF_OK)
#endif
