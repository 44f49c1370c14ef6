#ifndef __OPENCL_CL_GL_H
#define __OPENCL_CL_GL_H

#include <CL/cl.h>

#define cl_khr_gl_sharing 1

/* Types */
typedef cl_uint cl_gl_object_type, cl_gl_texture_info, cl_gl_platform_info, cl_gl_context_info;
typedef struct __GLsync *cl_GLsync;

/* Kinds of object */
#define CL_GL_OBJECT_BUFFER 0x2000
#define CL_GL_OBJECT_TEXTURE2D 0x2001
#define CL_GL_OBJECT_TEXTURE3D 0x2002
#define CL_GL_OBJECT_RENDERBUFFER 0x2003
#ifdef CL_VERSION_1_2
#define CL_GL_OBJECT_TEXTURE2D_ARRAY 0x200E
#define CL_GL_OBJECT_TEXTURE1D 0x200F
#define CL_GL_OBJECT_TEXTURE1D_ARRAY 0x2010
#define CL_GL_OBJECT_TEXTURE_BUFFER 0x2011
#endif

/* What clGetGLTextureInfo answers */
#define CL_GL_TEXTURE_TARGET 0x2004
#define CL_GL_MIPMAP_LEVEL 0x2005
#ifdef CL_VERSION_1_2
#define CL_GL_NUM_SAMPLES 0x2012
#endif

/* Sharing a context */
#define CL_INVALID_GL_SHAREGROUP_REFERENCE_KHR (-1000)
#define CL_CURRENT_DEVICE_FOR_GL_CONTEXT_KHR 0x2006
#define CL_DEVICES_FOR_GL_CONTEXT_KHR 0x2007
#define CL_GL_CONTEXT_KHR 0x2008
#define CL_EGL_DISPLAY_KHR 0x2009
#define CL_GLX_DISPLAY_KHR 0x200A
#define CL_WGL_HDC_KHR 0x200B
#define CL_CGL_SHAREGROUP_KHR 0x200C
#define CL_COMMAND_GL_FENCE_SYNC_OBJECT_KHR 0x200D

/* Functions */
cl_mem clCreateFromGLBuffer(cl_context, cl_mem_flags, cl_GLuint, cl_int *);
cl_mem clCreateFromGLRenderbuffer(cl_context, cl_mem_flags, cl_GLuint, cl_int *);
cl_mem clCreateFromGLTexture2D(cl_context, cl_mem_flags, cl_GLenum, cl_GLint, cl_GLuint, cl_int *);
cl_mem clCreateFromGLTexture3D(cl_context, cl_mem_flags, cl_GLenum, cl_GLint, cl_GLuint, cl_int *);
#ifdef CL_VERSION_1_2
cl_mem clCreateFromGLTexture(cl_context, cl_mem_flags, cl_GLenum, cl_GLint, cl_GLuint, cl_int *);
#endif
cl_int clGetGLObjectInfo(cl_mem, cl_gl_object_type *, cl_GLuint *);
cl_int clGetGLTextureInfo(cl_mem, cl_gl_texture_info, size_t, void *, size_t *);
cl_int clEnqueueAcquireGLObjects(cl_command_queue, cl_uint, const cl_mem *, cl_uint, const cl_event *, cl_event *);
cl_int clEnqueueReleaseGLObjects(cl_command_queue, cl_uint, const cl_mem *, cl_uint, const cl_event *, cl_event *);
cl_int clGetGLContextInfoKHR(const cl_context_properties *, cl_gl_context_info, size_t, void *, size_t *);
typedef cl_int (*clGetGLContextInfoKHR_fn)(const cl_context_properties *, cl_gl_context_info, size_t, void *, size_t *);
cl_event clCreateEventFromGLsyncKHR(cl_context, cl_GLsync, cl_int *);

#endif
